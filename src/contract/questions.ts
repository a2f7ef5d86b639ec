import type { GenerationRequest } from './generation-request.ts';
import type { TextPart } from './prompt.ts';

/** The text of one token, in llama-server's form: its bytes if they are not whole characters. */
export type TokenPiece = string | number[];

/** Texts of which the reply to a prompt has to be one. */
export interface ReplyOptions {
  /** The spellings of each option. The reply is one of them. */
  options: string[][];
  /** The request field with the prompt, for the error of a prompt that is too long. */
  param: string;
}

/** The probabilities of options, in their order, with a sum of 1, and the token counts of their prompt. */
export interface ReplyWeights {
  probabilities: number[];
  tokens: number;
  /** The number of tokens that were in the KV cache. */
  cached: number;
}

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
  /** Returns the prompt of a request as text. The chat layer answers it alone. */
  renderPrompt: { question: GenerationRequest; answer: { prompt: string } };
  /** Returns the number of tokens of a rendered prompt. The chat layer asks engines for it to answer `countPrompt`. */
  countTokens: { question: { prompt: string | number[] | TextPart[] }; answer: { tokens: number } };
  /** Returns how likely each option is as the reply to a request, without writing a reply. */
  weighReplies: {
    question: ReplyOptions & { request: Omit<GenerationRequest, 'replyFormat'> };
    answer: ReplyWeights;
  };
  /**
   * Returns how likely each option is after a rendered prompt. The chat layer asks engines for it to answer `weighReplies`. The prompt
   * may only reuse cached tokens of requests with the same scope.
   */
  weigh: {
    question: ReplyOptions & { prompt: string | number[] | TextPart[]; cacheScope?: string };
    answer: ReplyWeights;
  };
}

export type QuestionKind = keyof Questions;
