/** A message of a chat request. */
interface Message {
  role: string;
  content: string | null | { type: string; text?: string }[];
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/**
 * Returns the body of POST /v1/responses/input_tokens, which counts the prompt tokens of a chat request. Pictures and
 * recordings are left out, because that endpoint does not count them.
 */
export function toCountRequest({ model, messages, tools }: Record<string, unknown>): object {
  const input = (messages as Message[]).flatMap(toItems);
  return {
    model,
    // A prompt must end with a message of the user.
    input: input.at(-1)?.role === 'user' ? input : [...input, { role: 'user', content: '' }],
    ...(Array.isArray(tools) && { tools: tools.map(toTool) }),
  };
}

function toItems({ role, content, tool_calls: calls = [], tool_call_id: callId }: Message): Record<string, unknown>[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: callId, output: textOf(content) }];
  return [
    ...(content === null ? [] : [{ role, content: textOf(content) }]),
    ...calls.map((call) => ({ type: 'function_call', call_id: call.id, ...call.function })),
  ];
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('');
}

function toTool(tool: { function?: object }): object {
  return { type: 'function', ...tool.function };
}
