import type { FinishReason, TokenLogprob } from '../../contract/events.ts';
import { newId } from '../generation/ids.ts';
import { toLogprobs } from '../generation/logprobs.ts';

/** What a line of a stream, or a whole reply, tells of the reply's text. */
export interface ReplyPart {
  content: string;
  thinking: string;
  toolCalls: ToolCallObject[];
  logprobs: TokenLogprob[];
}

export interface ToolCallObject {
  id: string;
  function: { index: number; name: string; arguments: Record<string, unknown> };
}

/** The fields in which an endpoint tells a part of a reply. */
export type ToFields = (part: ReplyPart) => object;

export const NOTHING: ReplyPart = { content: '', thinking: '', toolCalls: [], logprobs: [] };

/** The fields of POST /api/chat. */
export function toChatFields({ content, thinking, toolCalls, logprobs }: ReplyPart) {
  const message = {
    role: 'assistant',
    content,
    ...(thinking !== '' && { thinking }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  return { message, ...toLogprobFields(logprobs) };
}

/** The fields of POST /api/generate. */
export function toGenerateFields({ content, thinking, logprobs }: ReplyPart) {
  return { response: content, ...(thinking !== '' && { thinking }), ...toLogprobFields(logprobs) };
}

/**
 * A call as clients get it: its arguments are an object. Arguments that were cut make no call; then the text that there is of
 * them is content.
 */
export function toCall(name: string, json: string, index: number): Partial<ReplyPart> {
  try {
    return { toolCalls: [{ id: newId('call'), function: { index, name, arguments: JSON.parse(json || '{}') } }] };
  } catch {
    return { content: `${name} ${json}` };
  }
}

/** Why the reply ended, in Ollama's words: a call is an ordinary end. */
export function toDoneReason(reason: FinishReason): string {
  return reason === 'tool_calls' ? 'stop' : reason;
}

function toLogprobFields(tokens: TokenLogprob[]) {
  return tokens.length === 0 ? {} : { logprobs: toLogprobs(tokens).content };
}

/** The first fields of each line and of a whole reply. `name` is the client's own name for the model. */
export function replyHead(name: string) {
  return { model: name, created_at: new Date().toISOString() };
}
