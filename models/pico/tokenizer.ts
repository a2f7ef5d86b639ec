import { spell } from '../../test/kit/models/vocabulary.ts';

/**
 * The tokens that the chat template writes. They are in no merge. llama.cpp treats `CONTROL_TOKENS` as control tokens
 * and `MARKS` as text.
 */
export const CONTROL_TOKENS = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'];
export const MARKS = ['<tool_call>', '</tool_call>', '<tools>', '</tools>'];

/** A byte-level BPE vocabulary in GPT-2's spelling: single bytes, merged tokens, then `MARKS` and `CONTROL_TOKENS`. */
export interface Vocabulary {
  tokens: string[];
  merges: [left: string, right: string][];
}

/** Matches the pieces of a text, as in GPT-2 and llama.cpp. Merges stay within a piece. */
const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
const MARK_PATTERN = new RegExp(
  `(${[...CONTROL_TOKENS, ...MARKS].map((mark) => mark.replaceAll('|', '\\|')).join('|')})`,
);
/** The punctuation that may be merged: up to four characters that surround words in JSON. */
const JSON_PUNCTUATION = /^[\s{}[\]":,]{1,4}$/;
const bytes = new TextEncoder();

/**
 * Learns the most frequent merges of some texts. A merge has no space before letters, no digits, and only the
 * punctuation of JSON. So a name or a number has the same tokens everywhere, and pico copies it by copying tokens.
 * Throws if the texts have too few words for a vocabulary of this size.
 */
export function learnVocabulary(texts: Iterable<string>, size: number): Vocabulary {
  const words = countWords(texts).map(([word, count]) => ({ symbols: [...spell(bytes.encode(word))], count }));
  const singles = Array.from({ length: 256 }, (_, byte) => spell(Uint8Array.of(byte)));
  const merges: [string, string][] = [];
  const tokens = new Set(singles);
  while (tokens.size < size - MARKS.length - CONTROL_TOKENS.length) {
    const best = mostFrequentPair(words);
    if (!best) throw new Error(`the texts have words for ${tokens.size} tokens only`);
    merges.push(best);
    tokens.add(best.join(''));
    for (const word of words) word.symbols = merge(word.symbols, best);
  }
  return { tokens: [...tokens, ...MARKS, ...CONTROL_TOKENS], merges };
}

function countWords(texts: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const plain = text.split(MARK_PATTERN).filter((part) => !MARK_PATTERN.test(part));
    for (const word of plain.flatMap((part) => part.match(PIECES) ?? []).map(mergeable)) {
      if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts];
}

/** Returns the part of a piece in which tokens may be merged. */
function mergeable(piece: string): string {
  if (/\p{N}/u.test(piece)) return '';
  if (/\p{L}/u.test(piece)) return piece.replace(/^ /, '');
  return JSON_PUNCTUATION.test(piece) ? piece : '';
}

function mostFrequentPair(words: { symbols: string[]; count: number }[]): [string, string] | undefined {
  const counts = new Map<string, number>();
  for (const { symbols, count } of words) {
    for (let at = 1; at < symbols.length; at++) {
      const pair = `${symbols[at - 1]} ${symbols[at]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best: string | undefined;
  let most = 1;
  for (const [pair, count] of counts) {
    if (count > most) [best, most] = [pair, count];
  }
  return best?.split(' ') as [string, string] | undefined;
}

function merge(symbols: string[], [left, right]: [string, string]): string[] {
  const merged: string[] = [];
  for (let at = 0; at < symbols.length; at++) {
    const symbol = symbols[at] as string;
    if (symbol === left && symbols[at + 1] === right) {
      merged.push(left + right);
      at++;
    } else merged.push(symbol);
  }
  return merged;
}

/** Returns a function that encodes a text as llama.cpp does with this vocabulary. */
export function createEncoder({ tokens, merges }: Vocabulary): (text: string) => number[] {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const ranks = new Map(merges.map((pair, rank) => [pair.join(' '), rank]));
  const known = new Map<string, number[]>();

  const encodePiece = (piece: string): number[] => {
    let symbols = [...spell(bytes.encode(piece))];
    for (;;) {
      let best: [string, string] | undefined;
      let bestRank = Number.POSITIVE_INFINITY;
      for (let at = 1; at < symbols.length; at++) {
        const pair: [string, string] = [symbols[at - 1] as string, symbols[at] as string];
        const rank = ranks.get(pair.join(' ')) ?? Number.POSITIVE_INFINITY;
        if (rank < bestRank) [best, bestRank] = [pair, rank];
      }
      if (!best) break;
      symbols = merge(symbols, best);
    }
    return symbols.map((symbol) => ids.get(symbol) as number);
  };
  const cached = (piece: string): number[] => {
    const found = known.get(piece) ?? encodePiece(piece);
    if (known.size < 100_000) known.set(piece, found);
    return found;
  };
  return (text) =>
    text.split(MARK_PATTERN).flatMap((part) => {
      const mark = MARK_PATTERN.test(part) ? ids.get(part) : undefined;
      return mark === undefined ? (part.match(PIECES) ?? []).flatMap(cached) : [mark];
    });
}
