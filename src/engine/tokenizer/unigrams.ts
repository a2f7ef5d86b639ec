import type { GgufVocabulary } from '../../gguf/vocabulary.ts';
import { NORMAL, UNUSED, USER_DEFINED } from './attributes.ts';
import type { Encode } from './byte-pairs.ts';
import { createCharsmap } from './charsmap.ts';

/** The score of an unknown character is this much lower than the worst token's. */
const UNKNOWN_PENALTY = 10;

/**
 * Makes the encoder of a vocabulary of probabilities, as in T5: it cuts a text in the way with the highest sum of
 * scores.
 */
export function createUnigrams(
  { tokens, scores, charsmap, fields }: GgufVocabulary,
  ids: ReadonlyMap<string, number>,
  attributes: Uint8Array,
  unknown: number,
): Encode {
  const has = (id: number, bits: number) => ((attributes[id] ?? 0) & bits) !== 0;
  const candidates = new Map([...ids].filter(([, id]) => has(id, NORMAL | USER_DEFINED | UNUSED)));
  const longest = [...candidates.keys()].reduce((length, token) => Math.max(length, token.length), 0);
  const least = scores.reduce((least, score, id) => (has(id, NORMAL) ? Math.min(least, score) : least), Infinity);
  const unknownScore = Math.fround(least - UNKNOWN_PENALTY);
  const scoreOf = (id: number) => (has(id, USER_DEFINED) ? 0 : (scores[id] ?? 0));
  const replace = createCharsmap(
    Uint8Array.from(charsmap),
    tokens.filter((_, id) => has(id, USER_DEFINED)),
  );
  const prefixes = fields.boolean('tokenizer.ggml.add_space_prefix') ?? false;
  const mergesSpaces = fields.boolean('tokenizer.ggml.remove_extra_whitespaces') ?? false;

  const normalize = (text: string): string => {
    let inWord = false;
    let isPrefixed = false;
    let normal = '';
    for (const character of replace(text)) {
      if (character === ' ') {
        inWord = false;
        if (!mergesSpaces) normal += '▁';
        continue;
      }
      if (!inWord && ((prefixes && !isPrefixed) || mergesSpaces)) {
        normal += '▁';
        isPrefixed = true;
      }
      inWord = true;
      normal += character;
    }
    return normal;
  };

  /** Finds for each place in a text the last token of the best way there. */
  const findWays = (text: string): Ways => {
    const ways = createWays(text.length, unknown);
    for (let at = 0, size = 1; at < text.length; at += size) {
      size = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      const limit = Math.min(text.length, at + longest);
      for (let end = at + 1; end <= limit; end++) {
        const id = candidates.get(text.slice(at, end));
        if (id !== undefined) offer(ways, { start: at, end, id, score: scoreOf(id) });
      }
      const isKnown = candidates.has(text.slice(at, at + size));
      if (!isKnown) offer(ways, { start: at, end: at + size, id: unknown, score: unknownScore });
    }
    return ways;
  };
  return (text) => {
    const normal = normalize(text);
    const { starts, last } = findWays(normal);
    const found: number[] = [];
    for (let end = normal.length; end > 0; end = starts[end] ?? 0) {
      const id = last[end] ?? unknown;
      // Consecutive unknown characters are one token.
      if (id !== unknown || found.at(-1) !== unknown) found.push(id);
    }
    return found.reverse();
  };
}

/** The best way to each place of a text: the sum of its scores, its last token, and where that begins. */
interface Ways {
  sums: Float64Array;
  starts: Int32Array;
  last: Int32Array;
}

function createWays(length: number, unknown: number): Ways {
  const sums = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
  sums[0] = 0;
  return { sums, starts: new Int32Array(length + 1), last: new Int32Array(length + 1).fill(unknown) };
}

function offer(
  { sums, starts, last }: Ways,
  { start, end, id, score }: { start: number; end: number; id: number; score: number },
): void {
  const sum = (sums[start] ?? 0) + score;
  if (sum <= (sums[end] ?? 0)) return;
  sums[end] = sum;
  starts[end] = start;
  last[end] = id;
}
