import type { Wllama } from '@wllama/wllama/esm/index.js';
import { createSpellingBreaker } from '../../chat/literal-text.ts';
import type { TextPart } from '../../contract/prompt.ts';
import type { TextRequest } from '../engine.ts';

/** A request whose prompt is a text in llama-server's form. With `progress`, its progress is told whatever its length. */
export type WasmRequest = Omit<TextRequest, 'prompt'> & { prompt: string; progress?: true };

/** An invisible character. Within the name of a control token, it keeps llama-server from recognizing the token. */
const INVISIBLE = '\u{2060}';

/**
 * Writes a prompt as llama-server reads it. `bos` is the text of the beginning-of-sequence token: llama.cpp puts that
 * token before a text itself, so it is taken out of the text.
 */
export function toWasmText(parts: TextPart[], wllama: Wllama, bos: string, controlTokens: string[]): string {
  const text = joinParts(parts, controlTokens);
  const doubled = bos !== '' && wllama.mustAddBosToken() && text.startsWith(bos);
  return doubled ? text.slice(bos.length) : text;
}

/**
 * Joins the parts of a prompt. llama-server takes every control token that a text spells for that token, so an
 * invisible character breaks the control tokens in a client's text.
 */
function joinParts(parts: TextPart[], controlTokens: string[]): string {
  const breakSpellings = createSpellingBreaker(controlTokens, INVISIBLE);
  return parts.map(({ text, literal }) => (literal ? breakSpellings(text) : text)).join('');
}
