import type { TunedSettings } from '../../serve/tune/tunings.ts';
import { median } from '../bench/measure.ts';

/** The measured speed of a model with some settings. */
export interface Trial {
  /** Tokens per second of all streams, prompts included. */
  togetherPerSecond: number;
  /** Time from the request to the first token of a single stream, in ms. */
  firstTokenMs: number;
}

/** Two trials in immediate succession: one with the defaults, one with other settings. */
export interface TrialPair {
  standard: Trial;
  tried: Trial;
}

/** Settings must be this many times as fast as the defaults to be adopted. A smaller gain may be noise. */
const LEAST_GAIN = 1.05;
/** The first token of a single stream may take at most this many times as long as with the defaults. */
const MOST_WAIT = 1.05;
/** Settings whose first gain is below this are not measured again. */
const HOPELESS = 1.02;

/**
 * Returns the median gain of the pairs: how many times as fast the settings are. Returns null if the settings should
 * not be adopted: they must be faster in every pair and clearly faster in the median, and a single stream must not wait
 * longer for its first token.
 */
export function gainOf(pairs: TrialPair[]): number | null {
  const gains = pairs.map(({ standard, tried }) => tried.togetherPerSecond / standard.togetherPerSecond);
  const waits = pairs.map(({ standard, tried }) => tried.firstTokenMs / standard.firstTokenMs);
  const [gain, wait] = [median(gains), median(waits)];
  if (gain === null || wait === null || gains.some((one) => one <= 1)) return null;
  return gain >= LEAST_GAIN && wait <= MOST_WAIT ? gain : null;
}

/**
 * Compares each candidate with the defaults, in turns, and returns the best one that should be adopted, with its gain.
 * Returns empty settings and a gain of 1 if there is none. Runs one `measure` at a time.
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
      // The machine may change between two trials, so the two swap their order each round.
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
