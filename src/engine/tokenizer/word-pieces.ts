import type { GgufVocabulary } from '../../gguf/vocabulary.ts';
import type { Encode } from './byte-pairs.ts';

const CONTROL_CHARACTER = /[\0\ufffd\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const ACCENT = /\p{M}/u;
const SPACE = /\p{White_Space}/u;
/** Characters that are words of their own: punctuation, the signs of ASCII, and Chinese characters. */
const ALONE =
  /[\p{P}$+<=>^`|~\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/u;

/**
 * Makes the encoder of a vocabulary of words and their parts, as in BERT: each word is cut into the longest tokens from
 * its left.
 */
export function createWordPieces(
  { tokens, fields }: GgufVocabulary,
  ids: ReadonlyMap<string, number>,
  unknown: number,
): Encode {
  const lowercase = fields.boolean('tokenizer.ggml.normalizer.lowercase') ?? true;
  const stripsAccents = fields.boolean('tokenizer.ggml.normalizer.strip_accents') ?? lowercase;
  const longest = tokens.reduce((length, token) => Math.max(length, token.length), 0);

  const meaningOf = (base: string): 'alone' | 'space' | 'nothing' | 'letter' => {
    if (ALONE.test(base)) return 'alone';
    if (SPACE.test(base)) return 'space';
    return CONTROL_CHARACTER.test(base) || (stripsAccents && ACCENT.test(base)) ? 'nothing' : 'letter';
  };
  /** Returns the words of a text in the vocabulary's spelling. */
  const wordsOf = (text: string): string[] => {
    const words = [''];
    for (const character of text) {
      // Only the first character of a decomposition counts, as in llama.cpp.
      const [base = ''] = stripsAccents ? character.normalize('NFD') : character;
      const [spelled = ''] = lowercase ? base.toLowerCase() : base;
      const meaning = meaningOf(base);
      if (meaning === 'alone') words.push(spelled, '');
      else if (meaning === 'space') words.push('');
      else if (meaning === 'letter') words.push((words.pop() ?? '') + spelled);
    }
    return words.filter((word) => word !== '');
  };
  const encodeWord = (word: string): number[] => {
    const found: number[] = [];
    const text = `▁${word}`;
    for (let at = 0; at < text.length; ) {
      let end = Math.min(text.length, at + longest);
      while (end > at && !ids.has(text.slice(at, end))) end--;
      if (end === at) return [unknown];
      found.push(ids.get(text.slice(at, end)) ?? unknown);
      at = end;
    }
    return found;
  };
  return (text) => wordsOf(text).flatMap(encodeWord);
}
