import type { ChatMessage, ToolCall } from '../../contract/prompt.ts';
import type { ChatFormat, HistoryRules } from './format.ts';

/** A message as chat templates expect it. */
export type TemplateMessage = Record<string, unknown>;

type CallId = NonNullable<HistoryRules['callId']>;

/**
 * Turns a conversation into the messages that the format's templates expect: '' instead of null as content, the
 * arguments of calls as objects instead of JSON text, and the format's own rules. The ids of calls do not depend on the
 * client's ids, which may change from request to request: the prefix of the prompt must stay the same, because it is in
 * the KV cache.
 */
export function toTemplateMessages(messages: ChatMessage[], { history = {} }: ChatFormat): TemplateMessage[] {
  const { callId = (_name, _index, total) => `call_${total}`, textArguments, singleCalls } = history;
  const renamed = renameCalls(messages, callId);
  const ordered = singleCalls ? splitCalls(renamed) : renamed;
  return ordered.map(({ tool_calls: calls = [], ...message }) => ({
    ...message,
    content: message.content ?? '',
    ...thoughtsOf(message, calls.length > 0, history),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => {
        const json = call.function.arguments;
        return { ...call, function: { ...call.function, arguments: textArguments ? json : parse(json) } };
      }),
    }),
  }));
}

/** Returns the fields of a message in which the templates read its reasoning, besides `reasoning_content`. */
function thoughtsOf(message: ChatMessage, hasCalls: boolean, { thinking, thoughts }: HistoryRules): TemplateMessage {
  const { content, reasoning_content: text } = message;
  if (!text) return {};
  if (thinking) return !content && hasCalls ? { thinking: text } : {};
  if (thoughts === 'chunks') {
    return { content: [{ type: 'thinking', thinking: text }, ...(content ? [{ type: 'text', text: content }] : [])] };
  }
  return thoughts === undefined ? {} : { [thoughts]: text };
}

/**
 * Gives every call an id in the format's own form, and every result the id and the function name of its call. If
 * several calls have the same id, a result belongs to the latest call before it.
 */
function renameCalls(messages: ChatMessage[], callId: CallId): ChatMessage[] {
  const known = new Map<string, { id: string; name: string }>();
  let total = 0;
  return messages.map((message) => {
    const calls = message.tool_calls?.map((call, index) => {
      const { name } = call.function;
      const id = callId(name, index, total++);
      known.set(call.id, { id, name });
      return { ...call, id };
    });
    const resultOf = message.tool_call_id;
    const called = resultOf === undefined ? undefined : known.get(resultOf);
    return {
      ...message,
      ...(calls && { tool_calls: calls }),
      ...(resultOf !== undefined && { tool_call_id: called?.id ?? callId('unknown', 0, total++) }),
      ...(called && { name: called.name }),
    };
  });
}

/** Makes one message of each call, with the call's result after it. */
function splitCalls(messages: ChatMessage[]): ChatMessage[] {
  const split: ChatMessage[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as ChatMessage;
    const { tool_calls: calls = [] } = message;
    if (calls.length < 2) {
      split.push(message);
      continue;
    }
    let end = index + 1;
    while (messages[end]?.role === 'tool') end++;
    split.push(...splitMessage(message, calls, messages.slice(index + 1, end)));
    index = end - 1;
  }
  return split;
}

function splitMessage(message: ChatMessage, calls: ToolCall[], results: ChatMessage[]): ChatMessage[] {
  const ids = new Set(calls.map(({ id }) => id));
  // The text and the reasoning came before the first call.
  const { reasoning_content: _, ...later } = message;
  const own = calls.flatMap((call, index) => [
    index === 0 ? { ...message, tool_calls: [call] } : { ...later, content: null, tool_calls: [call] },
    ...results.filter((result) => result.tool_call_id === call.id),
  ]);
  return [...own, ...results.filter(({ tool_call_id: id }) => id === undefined || !ids.has(id))];
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
