import type { FinishReason, TokenLogprob } from '../../contract/events.ts';
import { newPrefixedId } from '../generation/ids.ts';
import { toLogprobs } from '../generation/logprobs.ts';

/** The parts of a reply in one line of a stream, or in a whole reply. */
export interface ReplyPart {
  content: string;
  thinking: string;
  toolCalls: OllamaToolCallObject[];
  logprobs: TokenLogprob[];
}

export interface OllamaToolCallObject {
  id: string;
  function: { index: number; name: string; arguments: Record<string, unknown> };
}

/** Returns an endpoint's fields for a part of a reply. */
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
 * Returns a call with its arguments as an object. Arguments that were cut off are no valid object: their text becomes
 * content.
 */
export function toCall(name: string, json: string, index: number): Partial<ReplyPart> {
  try {
    return {
      toolCalls: [{ id: newPrefixedId('call'), function: { index, name, arguments: JSON.parse(json) } }],
    };
  } catch {
    return { content: `${name} ${json}` };
  }
}

/** Returns the reason why a reply ended, by Ollama's names. `stop` includes tool calls. */
export function toDoneReason(reason: FinishReason): string {
  return reason === 'tool_calls' ? 'stop' : reason;
}

function toLogprobFields(tokens: TokenLogprob[]) {
  return tokens.length === 0 ? {} : { logprobs: toLogprobs(tokens).content };
}

/** Returns the first fields of each line and of a whole reply. `name` is the client's own name for the model. */
export function replyHead(name: string) {
  return { model: name, created_at: new Date().toISOString() };
}
