import type { Llama } from './llama/llama.ts';
import { afterText, startTrials, type ThreadTrials, threadsOf } from './step/thread-trials.ts';

/** Runs the forward pass for a text of this many tokens. */
export type TextPasses = <T>(tokens: number, pass: () => Promise<T>) => Promise<T>;

/** For engines where the number of threads does not matter, as on a GPU. */
export const atOnce: TextPasses = (_, pass) => pass();

/**
 * Runs each forward pass with the number of threads, at most `most`, that is the quickest now for texts of about its
 * length. node-llama-cpp reads `maxThreads` before each pass.
 */
export function createTextPasses(llama: Pick<Llama, 'maxThreads'>, most: number): TextPasses {
  const trials = new Map<number, ThreadTrials>();

  return async (tokens, pass) => {
    const length = Math.floor(Math.log2(Math.max(1, tokens)));
    const begun = performance.now();
    const known = trials.get(length) ?? startTrials(most, begun);
    llama.maxThreads = threadsOf(known);
    const result = await pass();
    const now = performance.now();
    trials.set(length, afterText(known, (now - begun) / Math.max(1, tokens), now));
    return result;
  };
}
