/** Turns the tokens of a reply into text one by one. It never returns half a character. */
export interface Detokenizer {
  /** Returns the text that this token completes; '' if it ends within a character. */
  push(token: number): string;
  /** True if the tokens so far end within a character. */
  readonly holdsBack: boolean;
}

/**
 * Turns tokens into text. `before` has the last few tokens before these: some vocabularies need them for a leading
 * space.
 */
export type Detokenize = (tokens: number[], before: number[]) => string;

const TOKENS_BEFORE = 3;

/** Decoding a truncated UTF-8 sequence gives this character. */
const REPLACEMENT = '\uFFFD';

/** @param last the last tokens of a text that is continued; empty if a new text begins */
export function createDetokenizer(detokenize: Detokenize, last: number[] = []): Detokenizer {
  let before = last.slice(-TOKENS_BEFORE);
  let pending: number[] = [];
  let emitted = 0;

  return {
    get holdsBack() {
      return pending.length > 0;
    },
    push(token) {
      pending.push(token);
      const text = detokenize(pending, before);
      // Later tokens can only complete the last character. All text before it is final.
      const incomplete = text.endsWith(REPLACEMENT);
      const settled = incomplete ? text.slice(0, -1) : text;
      const delta = settled.slice(emitted);
      emitted = settled.length;
      if (!incomplete) {
        before = pending.slice(-TOKENS_BEFORE);
        pending = [];
        emitted = 0;
      }
      return delta;
    },
  };
}
