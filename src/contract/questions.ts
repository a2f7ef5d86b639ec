import type { GenerationRequest } from './generation-request.ts';
import type { TextPart } from './prompt.ts';

/** The text of one token, in llama-server's form: its bytes if they are not whole characters. */
export type TokenPiece = string | number[];

/** The questions that an engine can be asked besides generations, each with its answer. Plain data. */
export interface Questions {
  /** Returns the vector of each input, in order, scaled to length 1, and the token count of all inputs together. */
  embed: { question: { inputs: (string | number[])[] }; answer: { vectors: number[][]; tokens: number } };
  /**
   * Returns the relevance of each document to the query, from 0 to 1 and in the order of the documents, and the token
   * count of all.
   */
  rerank: { question: { query: string; documents: string[] }; answer: { scores: number[]; tokens: number } };
  /**
   * Returns the tokens of a text and the text of each. If the text spells a special token, that becomes one token. An engine may stop
   * once it has more tokens than `most`, and may return no pieces if `withPieces` is false.
   */
  tokenize: {
    question: { text: string; addSpecial: boolean; most?: number; withPieces?: boolean };
    answer: { tokens: number[]; pieces: TokenPiece[] };
  };
  detokenize: { question: { tokens: number[] }; answer: { text: string } };
  /** Returns the number of tokens of a request's prompt. Images and recordings are not counted. */
  countPrompt: { question: GenerationRequest; answer: { tokens: number } };
  /** Returns the number of tokens of a rendered prompt. The chat layer asks engines for it to answer `countPrompt`. */
  countTokens: { question: { prompt: string | number[] | TextPart[] }; answer: { tokens: number } };
}

export type QuestionKind = keyof Questions;
