import { readData } from './data.ts';

/** Names in the evaluation's questions. No training text may contain one. */
export const HELD_OUT_NAMES = readData<string[]>('held-out-names');

const heldOut = new Set(HELD_OUT_NAMES.map((name) => name.toLowerCase()));

/** True for a made-up word that happens to be a held-out name. */
export function isHeldOut(word: string): boolean {
  return heldOut.has(word.toLowerCase());
}
