import type { Decoder } from './decoder.ts';
import type { Token } from './llama.ts';

/** A smaller number of threads is taken where a larger one is not faster by this factor: cores are for others too. */
const WORTH = 1.05;
/** Tokens that are timed for each number of threads; the quickest counts, since others may want the cores as well. */
const TIMED_TOKENS = 3;

/** How many threads to compute with, and in words why. */
export interface ThreadChoice {
  threads: number;
  reason: string;
}

/** Decides between numbers of threads by the ms that a token takes with each, the largest number first. */
export function chooseThreads(timings: { threads: number; ms: number }[]): ThreadChoice {
  let [best = { threads: 1, ms: 0 }] = timings;
  for (const timing of timings.slice(1)) if (timing.ms < best.ms * WORTH) best = timing;
  const words = timings.map(({ threads, ms }) => `${threads}: ${ms.toFixed(ms < 10 ? 1 : 0)} ms`).join(', ');
  return { threads: best.threads, reason: `measured for a token, by threads: ${words}` };
}

/**
 * Times the decoding of a token with all usable cores, then with half of them, and on as long as that is no slower: small
 * models lose more by starting threads than they gain, and on a busy machine threads wait for one another.
 */
export async function measureThreads(decoder: Decoder, cores: number): Promise<ThreadChoice> {
  const timings: { threads: number; ms: number }[] = [];
  let at = 0;
  const evaluate = async (threads: number) => {
    const start = performance.now();
    await decoder.decode([{ sequence: 0, at: at++, tokens: [1 as Token], logitsAt: [0] }], threads);
    return performance.now() - start;
  };
  try {
    // The first pass also touches the weights for the first time.
    await evaluate(cores);
    for (let threads = cores; threads >= 1; threads = Math.floor(threads / 2)) {
      const times: number[] = [];
      for (let token = 0; token < TIMED_TOKENS; token++) times.push(await evaluate(threads));
      const ms = Math.min(...times);
      const slower = ms > WORTH * (timings.at(-1)?.ms ?? Number.POSITIVE_INFINITY);
      timings.push({ threads, ms });
      if (slower) break;
    }
  } finally {
    await decoder.truncate(0, 0);
  }
  return chooseThreads(timings);
}
