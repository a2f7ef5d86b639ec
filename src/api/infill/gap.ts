import type { InfillRequest } from './schema.ts';

/** A gap in a text, with other files for context, the oldest first. */
export interface Gap {
  prefix: string;
  suffix: string;
  files: { name: string; text: string }[];
}

/** The name of a file that has none. */
const UNNAMED = 'file';

/** Returns the gap of a request: the text before the cursor is `input_prefix`, followed by `prompt`. */
export function toGap({ input_prefix, input_suffix, input_extra, prompt }: InfillRequest): Gap {
  return {
    prefix: input_prefix + (prompt ?? ''),
    suffix: input_suffix,
    files: (input_extra ?? []).map(({ text, filename }) => ({ name: filename ?? UNNAMED, text })),
  };
}

/** The share of the room around the cursor that the text before it may have. */
const PREFIX_SHARE = 3 / 4;

/** Estimates are too low for text whose tokens are shorter than the mean. */
const CAUTION = 0.9;

/**
 * Text is dropped in steps of this share of the room: the beginning of the prompt then stays the same for many keystrokes, so that it
 * is found in the KV cache.
 */
const STEP_SHARE = 1 / 8;

/**
 * Returns a gap that likely has at most `room` tokens. The oldest files go first, then the beginning of the prefix and the end of the
 * suffix.
 *
 * @param tokens the number of tokens of the whole gap
 */
export function shortenGap(gap: Gap, tokens: number, room: number): Gap {
  const all = lengthOf(gap);
  const most = Math.max(0, Math.floor((all * room * CAUTION) / Math.max(1, tokens)));
  const suffixMost = Math.max(most - gap.prefix.length, Math.floor(most * (1 - PREFIX_SHARE)));
  const suffix = gap.suffix.slice(0, suffixMost);
  const prefix = dropBeginning(gap.prefix, most - suffix.length, Math.max(1, Math.ceil(most * STEP_SHARE)));
  let left = most - prefix.length - suffix.length;
  const files = gap.files.toReversed().filter(({ name, text }) => {
    left -= name.length + text.length;
    return left >= 0;
  });
  return { prefix, suffix, files: files.toReversed() };
}

function lengthOf({ prefix, suffix, files }: Gap): number {
  return files.reduce((length, { name, text }) => length + name.length + text.length, prefix.length + suffix.length);
}

/** Drops the beginning of a text in whole steps, and the rest of its line if another line follows. */
function dropBeginning(text: string, most: number, step: number): string {
  if (text.length <= most) return text;
  const dropped = Math.ceil((text.length - most) / step) * step;
  const lineEnd = text.indexOf('\n', dropped);
  return text.slice(lineEnd < 0 ? dropped : lineEnd + 1);
}
