import { MEDIA_MARK } from '../../../../contract/media.ts';
import type { TextPart } from '../../../../contract/prompt.ts';
import { once } from '../../../../utils/once.ts';
import type { Answers } from '../../../answers.ts';
import { nextTurn } from '../../../node/next-turn.ts';
import {
  isTokens,
  type PromptPiece,
  partsOf,
  pieceOf,
  refuseUnknownIds,
  type TokenizedPrompt,
  type TokenizeOptions,
  tokenizePrompt,
  withBos,
} from '../../../tokenize.ts';
import { TOKEN_ATTRIBUTE } from '../library/structs.ts';
import type { LlamaModel } from '../model.ts';
import type { Token } from './token.ts';
import { readTokenIndex, type TokenIndex } from './token-index.ts';
import { createTokenText, isByteLevel } from './token-text.ts';

/** The tokens of a prompt. The first `added` of them were added before its text. */
type CompletePrompt = { tokens: Token[]; added: number } | Exclude<TokenizedPrompt<Token>, { tokens: Token[] }>;

/** A model's tokens and their text. */
export interface Vocabulary {
  size: number;
  /**
   * Turns the prompt into tokens, and adds the beginning-of-sequence token if the model wants one. For a prompt that is
   * far longer than `contextLength`, returns an estimate of its length instead. Resolves to null after an abort. Throws
   * a 400 `ApiError` for an unknown token id.
   */
  promptTokens(
    prompt: string | number[] | TextPart[],
    signal?: AbortSignal,
    contextLength?: number,
  ): Promise<CompletePrompt | null>;
  /**
   * Turns a part of a prompt into tokens as `promptTokens` does, without adding any: for texts between images and
   * recordings, each of which is tokenized as if it stood alone.
   */
  innerTokens(parts: TextPart[], signal?: AbortSignal, contextLength?: number): Promise<TokenizedPrompt<Token> | null>;
  /** The texts of control tokens. */
  controlTokens: string[];
  isControl(token: Token): boolean;
  /**
   * Returns the text of tokens. `before` has the few tokens before them. Special tokens are left out, except those in
   * `marks`.
   */
  textOf(tokens: Token[], before: Token[], marks: ReadonlySet<Token>): string;
  /** Returns the text of tokens with the names of special tokens. `before` has the few tokens before them. */
  nameOrText(tokens: Token[], before: Token[]): string;
  /** Returns the tokens of a text that follows other text. Unless it is literal, it may spell special tokens. */
  tokensAmid(text: string, literal?: boolean): Token[];
  /** Returns the tokens by their first characters. They are read at the first call. */
  tokenIndex(): Promise<TokenIndex>;
  /** Returns the UTF-8 bytes of one token. They may be a part of a character. */
  bytesOf(token: Token): number[];
  /** Returns the special tokens among these texts. */
  specialTokens(texts: string[]): ReadonlySet<Token>;
  /** The answers that need nothing but the vocabulary. */
  answers: Answers;
}

/** Takes the marks of images and recordings out of a prompt: these are not counted. */
function withoutMarks(parts: TextPart[]): TextPart[] {
  return parts.map((part) => ({ ...part, text: part.text.replaceAll(MEDIA_MARK, '') }));
}

/** Reads the vocabulary of a loaded model. */
export function createVocabulary(model: LlamaModel): Vocabulary {
  const { tokenizer } = model;
  const { size, isSpecial } = tokenizer;
  const isControl = (token: Token) => tokenizer.is(token, TOKEN_ATTRIBUTE.control);
  const { textOf, bytesOf } = createTokenText(model);
  const nameOrText = (tokens: Token[], before: Token[] = []) => textOf(tokens, before, isSpecial);

  const bos = tokenizer.adds.bos ? tokenizer.marks.bos : null;
  // A byte-level tokenizer adds no space before a text, so there is none to remove.
  const byteLevel = isByteLevel(model);
  const tokenize = ({ text, literal, first }: PromptPiece) =>
    (literal || !first) && !byteLevel ? tokenizer.tokenizeAmid(text, !literal) : tokenizer.tokenize(text, !literal);
  const tokenized = (
    parts: TextPart[],
    signal: AbortSignal | undefined,
    limits: Pick<TokenizeOptions<Token>, 'contextLength' | 'most'> = {},
  ) => tokenizePrompt(parts, { tokenize, pause: nextTurn, signal, ...limits });
  const checked = (tokens: number[]): Token[] => {
    refuseUnknownIds(tokens, size);
    return tokens;
  };
  const promptTokens: Vocabulary['promptTokens'] = async (prompt, signal, contextLength) => {
    const complete = (own: Token[]) => {
      const tokens = withBos(own, bos);
      return { tokens, added: tokens.length - own.length };
    };
    if (isTokens(prompt)) return complete(checked(prompt));
    const whole = await tokenized(partsOf(prompt), signal, { contextLength });
    return whole && 'tokens' in whole ? complete(whole.tokens) : whole;
  };
  const answers: Answers = {
    tokenize: async ({ text, addSpecial, most, withPieces = true }, signal) => {
      const whole = await tokenized([{ text, literal: false }], signal, { most });
      const tokens = whole && 'tokens' in whole ? whole.tokens : [];
      const all = addSpecial ? withBos(tokens, bos) : tokens;
      return { tokens: all, pieces: withPieces ? all.map((token) => pieceOf(bytesOf(token))) : [] };
    },
    detokenize: ({ tokens }) => ({ text: nameOrText(checked(tokens)) }),
    countTokens: async ({ prompt }, signal) => {
      const text = isTokens(prompt) ? prompt : withoutMarks(partsOf(prompt));
      const tokenized = await promptTokens(text, signal);
      return { tokens: tokenized && 'tokens' in tokenized ? tokenized.tokens.length : 0 };
    },
  };

  return {
    size,
    promptTokens,
    innerTokens: (parts, signal, contextLength) => tokenized(parts, signal, { contextLength }),
    controlTokens: Array.from({ length: size }, (_, token) => token)
      .filter(isControl)
      .map(tokenizer.entryOf),
    isControl,
    textOf: (tokens, before, marks) => textOf(tokens, before, (token) => marks.has(token)),
    nameOrText,
    tokensAmid: (text, literal = false) => tokenize({ text, literal, first: false }),
    tokenIndex: once(() => readTokenIndex(tokenizer)),
    bytesOf: (token) => [...bytesOf(token)],
    specialTokens: (texts) => {
      const found = texts.map((text) => tokenizer.tokenize(text, true)).filter(({ length }) => length === 1);
      return new Set(found.flat().filter(isSpecial));
    },
    answers,
  };
}
