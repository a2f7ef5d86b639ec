import { isDeepStrictEqual } from 'node:util';
import type { Case } from './cases.ts';

/** The parts of a chat message that the evaluation reads. */
export interface Message {
  role: string;
  content: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** Sends a conversation to a model and resolves to its reply. */
export type Ask = (messages: Message[], tools: object[] | undefined) => Promise<Message>;

export interface Outcome {
  case: Case;
  reply: Message;
  right: boolean;
}

/** Sends the user messages of a case one after the other and judges the last reply. */
export async function judge(ask: Ask, one: Case): Promise<Outcome> {
  const messages: Message[] = [];
  let reply: Message = { role: 'assistant', content: '' };
  for (const content of one.user) {
    messages.push({ role: 'user', content });
    if (one.result) {
      const { name, arguments: given, content } = one.result;
      const call = { id: 'call_1', type: 'function' as const, function: { name, arguments: JSON.stringify(given) } };
      messages.push(
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', content, tool_call_id: 'call_1' },
      );
    }
    reply = await ask(messages, one.tools);
    messages.push(reply);
  }
  return { case: one, reply, right: isRight(reply, one.expect) };
}

function isRight({ content, tool_calls: calls = [] }: Message, expected: Case['expect']): boolean {
  if ('call' in expected) {
    const [call] = calls;
    if (!call || calls.length > 1) return false;
    const { name, arguments: json } = call.function;
    return name === expected.call.name && isDeepStrictEqual(JSON.parse(json), expected.call.arguments);
  }
  if (calls.length > 0 || content === null) return false;
  return 'equals' in expected ? content.trim() === expected.equals : new RegExp(expected.pattern, 'is').test(content);
}
