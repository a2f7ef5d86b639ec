import type { ChatMessage, ToolCall } from '../../runner.ts';
import type { ChatFormat } from './format.ts';

/** A message as chat templates expect it. */
export type TemplateMessage = Record<string, unknown>;

/**
 * Turns a conversation into what the format's templates expect: '' instead of null as content, the arguments of calls
 * as objects instead of JSON text, and the format's own demands.
 */
export function toTemplateMessages(messages: ChatMessage[], { history = {} }: ChatFormat): TemplateMessage[] {
  const { callId, textArguments = false, singleCalls = false } = history;
  const renamed = callId ? renameCalls(messages, callId) : messages;
  const ordered = singleCalls ? splitCalls(renamed) : renamed;
  return ordered.map(({ tool_calls: calls = [], ...message }) => ({
    ...message,
    content: message.content ?? '',
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => {
        const json = call.function.arguments;
        return { ...call, function: { ...call.function, arguments: textArguments ? json : parse(json) } };
      }),
    }),
  }));
}

/**
 * Gives every call an id in the format's own form. If calls share an id, a result belongs to the latest one before it.
 */
function renameCalls(messages: ChatMessage[], callId: (name: string, ...indexes: [number, number]) => string) {
  const ids = new Map<string, string>();
  let total = 0;
  return messages.map((message) => {
    const calls = message.tool_calls?.map((call, index) => {
      const id = callId(call.function.name, index, total++);
      ids.set(call.id, id);
      return { ...call, id };
    });
    const resultOf = message.tool_call_id;
    return {
      ...message,
      ...(calls && { tool_calls: calls }),
      ...(resultOf !== undefined && { tool_call_id: ids.get(resultOf) ?? callId('unknown', 0, total++) }),
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
  const own = calls.flatMap((call, index) => [
    { ...message, content: index === 0 ? message.content : null, tool_calls: [call] },
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
