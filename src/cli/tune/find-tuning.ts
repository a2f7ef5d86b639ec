import { DEFAULT_BATCH } from '../../serve/config/settings.ts';
import type { TunedSettings } from '../../serve/tune/tunings.ts';
import { findBest, type Trial } from './compare.ts';

/** What a server chooses for a model by itself. */
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
  /** Loads the model as a server does that nobody has tuned. */
  warmUp(): Promise<Chosen>;
  /** Measures the model with these settings, and so many streams at once. */
  measure(settings: TrialSettings, streams: number): Promise<Trial>;
}

const BATCHES = [256, 1024, 2048];
const LEAST_SLOTS = 4;

/**
 * Finds the settings that are better than the defaults, with how many times as fast they are. The defaults are those of the backend
 * that the model runs on, so they are read off a load. Throws an `Error` for a model with nothing to tune.
 */
export async function findTuning(
  { warmUp, measure }: Workbench,
  rounds: number,
): Promise<{ backend: string; settings: TunedSettings; gain: number }> {
  // The first load of a model reads it from the disk. No trial is to pay for that.
  const { backend, slots } = await warmUp();
  if (backend === 'wasm') throw new Error('the model runs on WebAssembly: there is nothing to tune');
  const candidates = [
    ...BATCHES.map((batch) => ({ batch })),
    ...fewerSlots(slots).map((fewer) => ({ slots: fewer })),
    // The default is to have it where the backend can. On some processors prompts take several times as long with it.
    { flashAttention: false },
  ];
  const trial = (tried: TunedSettings) =>
    measure({ ...tried, batch: tried.batch ?? DEFAULT_BATCH, slots: tried.slots ?? slots }, slots);
  return { backend, ...(await findBest(candidates, trial, rounds)) };
}

/** The numbers of slots to try: halves, down to a few. */
function fewerSlots(slots: number): number[] {
  const half = Math.floor(slots / 2);
  return half < LEAST_SLOTS ? [] : [half, ...fewerSlots(half)];
}
