/** Turns tokens into text as they come; never gives half a character. */
export interface Detokenizer {
  /** The text that this token completes; '' while a character is still in the making. */
  push(token: number): string;
}

/** Tokens to text, given the few tokens before them (some vocabularies write a word's leading space by them). */
export type Detokenize = (tokens: number[], before: number[]) => string;

/** Decoding a truncated UTF-8 sequence gives one of these for the part that is there. */
const REPLACEMENT = '\uFFFD';

export function createDetokenizer(detokenize: Detokenize): Detokenizer {
  let before: number[] = [];
  let pending: number[] = [];
  let emitted = 0;

  return {
    push(token) {
      pending.push(token);
      const text = detokenize(pending, before);
      // Only the very end can be a character that later tokens complete; what comes before it is settled.
      const incomplete = text.endsWith(REPLACEMENT);
      const settled = incomplete ? text.slice(0, -1) : text;
      const delta = settled.slice(emitted);
      emitted = settled.length;
      if (!incomplete) {
        before = pending.slice(-3);
        pending = [];
        emitted = 0;
      }
      return delta;
    },
  };
}
