import { invalidRequest } from '../../contract/errors.ts';
import type { FinishReason } from '../../contract/events.ts';
import type { ChatRequest } from './schema.ts';

type ChatMessage = ChatRequest['messages'][number];

/** True if a request has its tools in OpenAI's older spelling, so that the reply has its call in it too. */
export function isOlderRequest({ functions, function_call }: ChatRequest): boolean {
  return Boolean(functions ?? function_call);
}

/** Returns the finish reason in OpenAI's older spelling. */
export function olderReason(reason: FinishReason): FinishReason | 'function_call' {
  return reason === 'tool_calls' ? 'function_call' : reason;
}

/**
 * Translates `functions`, `function_call` and messages of the role `function` to tools. A reply in the older spelling
 * has one call, so no calls run in parallel. Throws a 400 `ApiError` if a request has both spellings.
 */
export function fromOlderSpelling(request: ChatRequest): ChatRequest {
  const { functions, function_call: choice, ...others } = request;
  const messages = withToolMessages(request.messages);
  if (!isOlderRequest(request)) return messages === request.messages ? request : { ...request, messages };
  const both = (['tools', 'tool_choice'] as const).find((field) => (request[field] ?? null) !== null);
  if (both) throw invalidRequest(`functions and function_call can't be combined with ${both}.`, both);
  checkChoice(request);
  return {
    ...others,
    messages,
    tools: functions?.map((one) => ({ type: 'function', function: one })),
    tool_choice: typeof choice === 'object' && choice ? { type: 'function', function: choice } : choice,
    parallel_tool_calls: false,
  };
}

function checkChoice({ functions, function_call: choice }: ChatRequest): void {
  if (typeof choice !== 'object' || !choice || functions?.some(({ name }) => name === choice.name)) return;
  throw invalidRequest(
    `function_call names the function '${choice.name}', which is not among the functions.`,
    'function_call',
  );
}

/** A call gets an id by its place, and each result the id of the latest call of its function before it. */
function withToolMessages(messages: ChatMessage[]): ChatMessage[] {
  if (!messages.some(({ role, function_call }) => role === 'function' || function_call)) return messages;
  const ids = new Map<string, string>();
  return messages.map((message, index) => {
    const { function_call: call, ...rest } = message;
    if (call) {
      if (message.tool_calls?.length) {
        const field = `messages[${index}].function_call`;
        throw invalidRequest(`${field} can't be combined with tool_calls.`, field);
      }
      const id = `call_${index}`;
      ids.set(call.name, id);
      return { ...rest, tool_calls: [{ id, type: 'function', function: call }] } as ChatMessage;
    }
    if (message.role !== 'function') return message;
    return { ...rest, role: 'tool', tool_call_id: ids.get(message.name) ?? message.name } as ChatMessage;
  });
}
