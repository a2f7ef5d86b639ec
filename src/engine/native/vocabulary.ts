import { invalidRequest } from '../../core/errors.ts';
import type { Answers } from '../answers.ts';
import type { LlamaModel, Token } from './llama.ts';

/** A model's tokens and their text. */
export interface Vocabulary {
  size: number;
  /** The prompt as tokens, with the beginning-of-sequence token that the model wants. */
  promptTokens(prompt: string | number[]): Token[];
  /** The text of tokens, given the few before them; special tokens are silent but for those among `marks`. */
  textOf(tokens: Token[], before: Token[], marks: ReadonlySet<Token>): string;
  /** The UTF-8 of one token, which may be a part of a character. */
  bytesOf(token: Token): number[];
  /** The special tokens that these texts name. */
  specialTokens(texts: string[]): ReadonlySet<Token>;
  /** The questions that need the vocabulary alone. */
  answers: Answers;
}

export function createVocabulary(model: LlamaModel): Vocabulary {
  const { tokens: entries } = model.fileInfo.metadata.tokenizer.ggml;
  const size = entries.length;

  const withBos = (tokens: Token[]): Token[] => {
    const { bos, shouldPrependBosToken } = model.tokens;
    return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
  };
  const checked = (tokens: number[]): Token[] => {
    const unknown = tokens.find((token) => token >= size);
    if (unknown === undefined) return tokens as Token[];
    throw invalidRequest(`There is no token ${unknown}; the model's vocabulary ends at ${size - 1}.`);
  };
  const answers: Answers = {
    tokenize: ({ text, addSpecial }) => {
      const tokens = model.tokenize(text, true);
      const all = addSpecial ? withBos(tokens) : tokens;
      return { tokens: all, pieces: all.map((token) => model.detokenize([token], true)) };
    },
    detokenize: ({ tokens }) => ({ text: model.detokenize(checked(tokens), true) }),
  };

  return {
    size,
    promptTokens: (prompt) => withBos(typeof prompt === 'string' ? model.tokenize(prompt, true) : checked(prompt)),
    textOf: (tokens, before, marks) =>
      marks.size > 0 && tokens.some((token) => marks.has(token))
        ? tokens.map((token) => model.detokenize([token], marks.has(token))).join('')
        : model.detokenize(tokens, false, before),
    bytesOf: (token) =>
      byteLevelBytes(String(entries[token] ?? '')) ?? [...Buffer.from(model.detokenize([token], true))],
    specialTokens: (texts) => {
      const found = texts.map((text) => model.tokenize(text, true)).filter(({ length }) => length === 1);
      return new Set(found.flat().filter((token) => model.isSpecialToken(token)));
    },
    answers,
  };
}

/** GPT-2's alphabet for bytes: printable ones stand for themselves, the others for the letters from U+0100 on. */
const BYTE_OF_LETTER: ReadonlyMap<string, number> = (() => {
  const printable = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173 && byte < 256);
  let next = 256;
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(printable(byte) ? byte : next++), byte] as const),
  );
})();

/** The bytes of a byte-level token; undefined for one that is not spelled in that alphabet. */
function byteLevelBytes(entry: string): number[] | undefined {
  const bytes = [...entry].map((letter) => BYTE_OF_LETTER.get(letter));
  return bytes.every((byte) => byte !== undefined) ? bytes : undefined;
}
