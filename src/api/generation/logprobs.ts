import type { TokenLogprob } from '../../contract/events.ts';

/** OpenAI's `logprobs` of a chat choice. `content` has an entry for each token. */
export interface Logprobs {
  content: {
    token: string;
    logprob: number;
    bytes: number[];
    top_logprobs: { token: string; logprob: number; bytes: number[] }[];
  }[];
  refusal: null;
}

/**
 * Converts the tokens of a choice to OpenAI's form. Log probabilities are natural logarithms, and -9999 stands for
 * minus infinity.
 */
export function toLogprobs(tokens: TokenLogprob[]): Logprobs {
  return {
    content: tokens.map(({ text, logprob, bytes, alternatives }) => ({
      token: text,
      logprob: finite(logprob),
      bytes,
      top_logprobs: alternatives.map((other) => ({
        token: other.text,
        logprob: finite(other.logprob),
        bytes: other.bytes,
      })),
    })),
    refusal: null,
  };
}

/** JSON has no infinity. OpenAI's own servers write -9999 for a token that is impossible. */
export function finite(logprob: number): number {
  return Math.max(logprob, -9999);
}
