import type { GgufVocabulary } from '../../gguf/vocabulary.ts';
import { LETTER_OF_BYTE } from '../byte-alphabet.ts';
import { mergeCharacters } from './merge.ts';
import type { PreTokenizer } from './pre-tokenizers.ts';

/** The most words that are cached with their tokens, and their greatest length in characters. */
const MOST_KNOWN = 10_000;
const LONGEST_KNOWN = 32;

/** Returns the tokens of a text without special tokens. */
export type Encode = (text: string) => number[];

/**
 * Makes the encoder of a vocabulary of merges, as in GPT-2: each word is cut into bytes, and pairs are merged in the
 * order of the list.
 */
export function createBytePairs(
  { merges }: GgufVocabulary,
  ids: ReadonlyMap<string, number>,
  { rules, whole, plain }: PreTokenizer,
): Encode {
  const ranks = new Map<string, number>();
  for (const [rank, merge] of merges.entries()) if (!ranks.has(merge)) ranks.set(merge, rank);
  const rankOf = (left: string, right: string) => ranks.get(`${left} ${right}`);
  const utf8 = new TextEncoder();
  const spell = (word: string) => Array.from(utf8.encode(word), (byte) => LETTER_OF_BYTE[byte]).join('');
  /** A part that is no token becomes the tokens of its bytes. Bytes without a token are left out. */
  const bytesOf = (part: string) =>
    plain ? Array.from(utf8.encode(part), byteName) : [...part].filter((letter) => letter < '\u0080');
  const idsOf = (part: string): number[] => {
    const id = ids.get(part);
    if (id !== undefined) return [id];
    return bytesOf(part)
      .map((byte) => ids.get(byte))
      .filter((id) => id !== undefined);
  };
  const encodeWord = (word: string): number[] => {
    const isWhole = whole === 'all' || (whole === 'newlines' && /^\n+$/.test(word));
    if (isWhole && ids.has(word)) return idsOf(word);
    return mergeCharacters(word, rankOf).flatMap(idsOf);
  };

  const known = new Map<string, number[]>();
  const encodeKnown = (word: string): number[] => {
    const found = known.get(word);
    if (found) return found;
    const tokens = encodeWord(plain ? word : spell(word));
    if (known.size === MOST_KNOWN) known.clear();
    if (word.length <= LONGEST_KNOWN) known.set(word, tokens);
    return tokens;
  };
  return (text) => {
    const words = rules.reduce((pieces, rule) => pieces.flatMap(rule), [plain ? text.replaceAll(' ', '▁') : text]);
    return words.flatMap(encodeKnown);
  };
}

/** Returns the name of the token for a single byte, in vocabularies that are written in plain characters. */
export function byteName(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}
