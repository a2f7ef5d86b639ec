import { afterText, startTrials, type ThreadTrials, threadsOf } from './step/thread-trials.ts';

/** Runs the forward pass for a text of this many tokens. `pass` gets the number of threads to compute with. */
export type TextPasses = <T>(tokens: number, pass: (threads: number) => Promise<T>) => Promise<T>;

/** For engines where the number of threads does not matter, as on a GPU: all passes have `threads`. */
export function atOnce(threads: number): TextPasses {
  return (_, pass) => pass(threads);
}

/**
 * Runs each forward pass with the number of threads, at most `most`, that is the quickest now for texts of about its
 * length.
 */
export function createTextPasses(most: number): TextPasses {
  const trials = new Map<number, ThreadTrials>();

  return async (tokens, pass) => {
    const length = Math.floor(Math.log2(Math.max(1, tokens)));
    const begun = performance.now();
    const known = trials.get(length) ?? startTrials(most, begun);
    const result = await pass(threadsOf(known));
    const now = performance.now();
    trials.set(length, afterText(known, (now - begun) / Math.max(1, tokens), now));
    return result;
  };
}
