import { ApiError, unsupportedParameter } from '../../contract/errors.ts';
import { MEDIA_MARK } from '../../contract/media.ts';
import type { TextPart } from '../../contract/prompt.ts';
import { blobBytes } from '../../gguf/blob-bytes.ts';
import { readGgufHeader } from '../../gguf/header.ts';
import { readVocabulary } from '../../gguf/vocabulary.ts';
import { once } from '../../utils/once.ts';
import type { Answers } from '../answers.ts';
import {
  isTokens,
  partsOf,
  pieceOf,
  refuseUnknownIds,
  type TokenizedPrompt,
  type TokenizeOptions,
  tokenizePrompt,
  withBos,
} from '../tokenize.ts';
import { createTokenizer, type Tokenizer } from '../tokenizer/tokenizer.ts';

/** A model's tokens. wllama does not return them, so they are computed from the vocabulary in the GGUF. */
export interface WasmVocabulary {
  /**
   * Counts the tokens of a text, the beginning-of-sequence token included. For a text that is far longer than
   * `contextLength`, returns an estimate. Resolves to 0 after an abort, and if the model's kind of vocabulary is not
   * known.
   */
  count(parts: TextPart[], contextLength: number, signal: AbortSignal | undefined): Promise<number>;
  /**
   * Returns the text that llama.cpp cuts into exactly these tokens, because wllama takes no token ids. Throws a 400
   * `ApiError` if there is no such text, for example for a word that is spelled in single letters, or if the kind of
   * vocabulary is not known.
   */
  textOf(tokens: number[]): Promise<string>;
  /** Returns the tokens of a text that follows other text. It spells no special tokens. */
  tokensAmid(text: string): Promise<number[]>;
  /** Returns the text of tokens that follow other text. Parts of characters become U+FFFD. */
  spell(tokens: readonly number[]): Promise<string>;
  /** The answers that need nothing but the vocabulary. */
  answers: Answers;
}

/**
 * Reads the vocabulary when it is first needed and keeps it: one of 150,000 tokens takes about 0.3 s and 30 MB. `model`
 * is the GGUF, or the first part of it.
 */
export function createWasmVocabulary(model: Blob): WasmVocabulary {
  const tokenizer = once(() => build(model));
  const tokenized = async (
    parts: TextPart[],
    signal: AbortSignal | undefined,
    limits: Pick<TokenizeOptions<number>, 'contextLength' | 'most'> = {},
  ): Promise<TokenizedPrompt<number> | null> => {
    const { encode, isSpecial } = await tokenizer();
    let last: number | undefined;
    return tokenizePrompt(parts, {
      tokenize({ text, literal }) {
        const tokens = encode(text, !literal, last !== undefined && !isSpecial(last));
        last = tokens.at(-1) ?? last;
        return tokens;
      },
      pause: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
      signal,
      ...limits,
    });
  };
  return {
    async count(parts, contextLength, signal) {
      try {
        const counted = await tokenized(parts, signal, { contextLength });
        if (counted === null) return 0;
        if ('overflow' in counted) return counted.overflow;
        return withBos(counted.tokens, (await tokenizer()).bos).length;
      } catch (error) {
        if (error instanceof ApiError) return 0;
        throw error;
      }
    },
    async textOf(tokens) {
      const { encode, decode, bos } = await tokenizer();
      const text = decode(tokens, false);
      const again = withBos(encode(text, true), bos);
      if (again.join() === withBos(tokens, bos).join()) return text;
      throw unsupportedParameter(
        'prompt',
        'On WebAssembly, the token ids of a prompt must be those that tokenizing their text gives; these are not.',
      );
    },
    async tokensAmid(text) {
      const { encode } = await tokenizer();
      return encode(text, false, true);
    },
    async spell(tokens) {
      const { bytesOf } = await tokenizer();
      return new TextDecoder().decode(Uint8Array.from(tokens.flatMap((token) => [...bytesOf(token)])));
    },
    answers: {
      async tokenize({ text, addSpecial, most, withPieces = true }, signal) {
        const { bos, bytesOf } = await tokenizer();
        const whole = await tokenized([{ text, literal: false }], signal, { most });
        const tokens = whole && 'tokens' in whole ? whole.tokens : [];
        const all = addSpecial ? withBos(tokens, bos) : tokens;
        return { tokens: all, pieces: withPieces ? all.map((token) => pieceOf(bytesOf(token))) : [] };
      },
      async detokenize({ tokens }) {
        const { size, decode } = await tokenizer();
        refuseUnknownIds(tokens, size);
        return { text: decode(tokens) };
      },
      async countTokens({ prompt }, signal) {
        const { size, bos } = await tokenizer();
        if (isTokens(prompt)) {
          refuseUnknownIds(prompt, size);
          return { tokens: withBos(prompt, bos).length };
        }
        const parts = partsOf(prompt).map((part) => ({ ...part, text: part.text.replaceAll(MEDIA_MARK, '') }));
        const whole = await tokenized(parts, signal);
        return { tokens: whole && 'tokens' in whole ? withBos(whole.tokens, bos).length : 0 };
      },
    },
  };
}

async function build(model: Blob): Promise<Tokenizer> {
  const source = blobBytes(model);
  return createTokenizer(await readVocabulary(source, await readGgufHeader(source)));
}

/**
 * Returns true if a text may have this many tokens. A text has at most as many tokens as bytes. Each UTF-16 unit is one
 * to three bytes, so most texts need not be encoded to count them.
 */
export function mayReach(parts: TextPart[], tokens: number): boolean {
  const units = parts.reduce((sum, { text }) => sum + text.length, 0);
  if (units >= tokens) return true;
  if (3 * units + SPARE_TOKENS < tokens) return false;
  const utf8 = new TextEncoder();
  return parts.reduce((sum, { text }) => sum + utf8.encode(text).length, SPARE_TOKENS) >= tokens;
}

/** The number of tokens that may be added to a text: beginning, end, separator and a space. */
const SPARE_TOKENS = 4;
