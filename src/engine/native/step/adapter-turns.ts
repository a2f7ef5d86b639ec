import type { AdapterSet } from '../llama/adapters.ts';

/**
 * The time in which each set of adapters has a turn, in ms, unless single passes take longer. llama.cpp reserves its
 * memory anew when the adapters change: with a model of 0.5B, this takes as long as one or two passes. So a set has
 * several passes in a row, and the replies of the other sets wait for no longer than this time.
 */
const ROUND_MS = 400;

/** Decides whose turn it is among generations with different LoRA adapters: a forward pass has one set of adapters. */
export interface AdapterTurns {
  /**
   * Returns the generations of the next forward pass: all that have the same adapters.
   *
   * @param now the present, in ms
   */
  next<G extends { readonly adapters: AdapterSet }>(running: readonly G[], now: number): readonly G[];
}

/** Makes the turns of one context. The set that has waited longest is next. */
export function createAdapterTurns(): AdapterTurns {
  let current = { key: '', since: 0 };
  /** The keys of the other sets, in descending order of their waits. */
  let waiting: string[] = [];

  return {
    next(running, now) {
      const groups = byAdapters(running);
      const others = [...groups.keys()].filter((key) => key !== current.key);
      waiting = [...waiting.filter((key) => others.includes(key)), ...others.filter((key) => !waiting.includes(key))];
      const [longest] = waiting;
      const mayStay = groups.has(current.key) && now - current.since < ROUND_MS / groups.size;
      if (longest !== undefined && !mayStay) {
        waiting = waiting.slice(1);
        if (groups.has(current.key)) waiting.push(current.key);
        current = { key: longest, since: now };
      }
      return groups.get(current.key) ?? [];
    },
  };
}

function byAdapters<G extends { readonly adapters: AdapterSet }>(generations: readonly G[]): Map<string, G[]> {
  const groups = new Map<string, G[]>();
  for (const generation of generations) {
    const { key } = generation.adapters;
    const group = groups.get(key);
    if (group) group.push(generation);
    else groups.set(key, [generation]);
  }
  return groups;
}
