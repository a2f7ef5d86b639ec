import type { TunedSettings } from '../../serve/tune/tunings.ts';
import { median } from '../bench/measure.ts';

/** How fast a model was with some settings. */
export interface Trial {
  /** Tokens per second of all streams, prompts included. */
  togetherPerSecond: number;
  /** From the request to the first token of a stream alone, in ms. */
  firstTokenMs: number;
}

/** Two trials, one right after the other: with the defaults, and with other settings. */
export interface TrialPair {
  standard: Trial;
  tried: Trial;
}

/** So many times as fast settings must be to be adopted. Less is what a machine does by itself. */
const LEAST_GAIN = 1.05;
/** So many times as long the first token of a stream alone may take, at most. */
const MOST_WAIT = 1.05;
/** Settings that begin below this are not tried again. */
const HOPELESS = 1.02;

/**
 * How many times as fast settings are, in the median of the pairs; null if they are not to be adopted: they must be faster in every
 * pair and clearly so in the median, and a stream alone must not wait longer.
 */
export function gainOf(pairs: TrialPair[]): number | null {
  const gains = pairs.map(({ standard, tried }) => tried.togetherPerSecond / standard.togetherPerSecond);
  const waits = pairs.map(({ standard, tried }) => tried.firstTokenMs / standard.firstTokenMs);
  const [gain, wait] = [median(gains), median(waits)];
  if (gain === null || wait === null || gains.some((one) => one <= 1)) return null;
  return gain >= LEAST_GAIN && wait <= MOST_WAIT ? gain : null;
}

/**
 * Tries settings against the defaults, by turns, and returns the best that are to be adopted, with how many times as fast they are;
 * without any, those of the defaults: none. `measure` is called for one trial at a time.
 */
export async function findBest(
  candidates: TunedSettings[],
  measure: (settings: TunedSettings) => Promise<Trial>,
  rounds: number,
): Promise<{ settings: TunedSettings; gain: number }> {
  let best: { settings: TunedSettings; gain: number } = { settings: {}, gain: 1 };
  for (const settings of candidates) {
    const pairs: TrialPair[] = [];
    for (let round = 0; round < rounds; round++) {
      // Who comes second may find a machine that has changed, so they swap places.
      const pair =
        round % 2 === 0
          ? { standard: await measure({}), tried: await measure(settings) }
          : await measure(settings).then(async (tried) => ({ tried, standard: await measure({}) }));
      pairs.push(pair);
      if (pair.tried.togetherPerSecond < pair.standard.togetherPerSecond * HOPELESS) break;
    }
    const gain = pairs.length < rounds ? null : gainOf(pairs);
    if (gain !== null && gain > best.gain) best = { settings, gain };
  }
  return best;
}
