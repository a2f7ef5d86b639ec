import type { Wllama } from '@wllama/wllama/esm/index.js';
import type { TextPart } from '../../core/chat/literal-text.ts';
import type { TextRequest } from '../engine.ts';
import { isTokens, refuseUnknownIds, withBos } from '../tokenize.ts';

/** What llama-server continues: a text, or token ids, perhaps with a text after them. */
export type WasmPrompt = string | (number | string)[];

/** A request whose prompt is in llama-server's form. */
export type WasmRequest = Omit<TextRequest, 'prompt'> & { prompt: WasmPrompt };

/** Takes up no room, and keeps a text from being what it spells. */
const INVISIBLE = '\u{2060}';

/**
 * Writes a prompt in llama-server's form. `bos` is the text of the beginning-of-sequence token. llama.cpp puts that token before a
 * text itself, so it is taken out of the text; before token ids it does not. Throws a 400 `ApiError` for an unknown id.
 */
export function toWasmPrompt(prompt: string | number[] | TextPart[], wllama: Wllama, bos: string): WasmPrompt {
  if (isTokens(prompt) && prompt.length > 0) {
    refuseUnknownIds(prompt, wllama.getLoadedContextInfo().n_vocab);
    return withBos(prompt, wllama.mustAddBosToken() ? wllama.getBOS() : null);
  }
  const text = typeof prompt === 'string' ? prompt : joinParts(prompt as TextPart[]);
  const doubled = bos !== '' && wllama.mustAddBosToken() && text.startsWith(bos);
  return doubled ? text.slice(bos.length) : text;
}

/** The prompt with a text after it. */
export function withText(prompt: WasmPrompt, text: string): WasmPrompt {
  return typeof prompt === 'string' ? prompt + text : [...prompt, text];
}

/**
 * Joins the parts of a prompt. llama-server takes every control token that a text spells for that token, so an invisible
 * character breaks those of clients.
 */
function joinParts(parts: TextPart[]): string {
  const texts = parts.map(({ text, literal }) => {
    const [first = ''] = text;
    return literal ? first + INVISIBLE + text.slice(first.length) : text;
  });
  return texts.join('');
}
