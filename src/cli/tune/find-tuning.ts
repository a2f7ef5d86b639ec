import { DEFAULT_BATCH } from '../../serve/config/settings.ts';
import type { TunedSettings } from '../../serve/tune/tunings.ts';
import { findBest, type Trial } from './compare.ts';

/** The settings that a server chooses for a model by default. */
export interface Chosen {
  backend: string;
  slots: number;
}

/** All settings of a trial. Without `flashAttention` the engine decides. */
export interface TrialSettings extends TunedSettings {
  batch: number;
  slots: number;
}

/** Runs servers on this machine. */
export interface Workbench {
  /** Loads the model with the default settings. */
  warmUp(): Promise<Chosen>;
  /** Measures the model with these settings and this many streams at once. */
  measure(settings: TrialSettings, streams: number): Promise<Trial>;
}

const BATCHES = [256, 1024, 2048];
const LEAST_SLOTS = 4;

/**
 * Returns the settings that are better than the defaults, with their gain. The defaults depend on the backend, so the
 * model is loaded once to read them. Throws an `Error` for a model with nothing to tune.
 */
export async function findTuning(
  { warmUp, measure }: Workbench,
  rounds: number,
): Promise<{ backend: string; settings: TunedSettings; gain: number }> {
  // The first load reads the model from the disk, which no trial should include.
  const { backend, slots } = await warmUp();
  if (backend === 'wasm') throw new Error('the model runs on WebAssembly: there is nothing to tune');
  const candidates = [
    ...BATCHES.map((batch) => ({ batch })),
    ...fewerSlots(slots).map((fewer) => ({ slots: fewer })),
    // The default is on where the backend supports it. On some processors, flash attention makes prompts several times
    // as slow.
    { flashAttention: false },
  ];
  const trial = (tried: TunedSettings) =>
    measure({ ...tried, batch: tried.batch ?? DEFAULT_BATCH, slots: tried.slots ?? slots }, slots);
  return { backend, ...(await findBest(candidates, trial, rounds)) };
}

/** Returns the numbers of slots to try: repeated halves of the default. */
function fewerSlots(slots: number): number[] {
  const half = Math.floor(slots / 2);
  return half < LEAST_SLOTS ? [] : [half, ...fewerSlots(half)];
}
