import type { GenerationRequest } from '../contract/generation-request.ts';
import { MEDIA_MARK } from '../contract/media.ts';
import type { Prompt } from '../contract/prompt.ts';
import { isObject } from '../utils/json.ts';
import { createStopFilter, foldCase } from './stop-sequences.ts';

/**
 * In characters. A prompt may have tens of megabytes: its case is removed in pieces, so that memory never holds a
 * second copy of it.
 */
const PIECE_LENGTH = 64 * 1024;

/** True if a banned text occurs in what the client wrote, in any case. Text that the template adds does not count. */
export function hasBannedText({ prompt, banned }: Pick<GenerationRequest, 'prompt' | 'banned'>): boolean {
  return banned.length > 0 && textsOf(prompt).some((text) => contains(text, banned));
}

function contains(text: string, banned: string[]): boolean {
  const filter = createStopFilter(banned, foldCase);
  for (let at = 0; at < text.length && !filter.stopped; at += PIECE_LENGTH) {
    filter.push(text.slice(at, at + PIECE_LENGTH));
  }
  return filter.stopped;
}

function textsOf(prompt: Prompt): string[] {
  switch (prompt.kind) {
    case 'chat':
      return prompt.messages.flatMap(({ content, reasoning_content: thoughts = '' }) => [
        ...(content?.split(MEDIA_MARK) ?? []),
        thoughts,
      ]);
    case 'text':
      return [prompt.text];
    case 'infill':
      return [prompt.prefix, prompt.suffix, ...(prompt.files ?? []).map(({ text }) => text)];
    case 'decision': {
      const { state, questions = [], ...asked } = prompt.values;
      const texts = [asked, ...questions].flatMap(({ id, instructions, options }) => [
        id,
        instructions,
        options.map(({ key, description }) => [key, description]),
      ]);
      return stringsIn([state, texts]);
    }
    case 'tokens':
      return [];
    default:
      return prompt satisfies never;
  }
}

/** Returns the strings of a JSON value at any depth, and the keys of its objects: a client writes both. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]) : [];
}
