/** A model that is in memory, is being loaded or is being unloaded. */
export interface Resident {
  id: string;
  state: 'loading' | 'ready' | 'unloading';
  /** The bytes that it needs, or will need once it is loaded. */
  memory: number;
  /** The number of requests that run on the model or wait for one of its slots. */
  users: number;
  /** When it was last used, on any clock that only grows. */
  usedAt: number;
  /** True if it is never unloaded to make room for another model. */
  pinned: boolean;
}

/** The state of the memory, in bytes. */
export interface MemoryState {
  /** Memory that is free or that the system can free. */
  available: number;
  /** Memory that this process holds for models. */
  held: number;
}

/** The limits for the models in memory. */
export interface ResidencyLimits {
  /** The most models in memory at once; null means that only memory limits them. */
  maxModels: number | null;
  memory: MemoryState;
}

/** What to do for a model that waits for room. */
export type Decision =
  /** There is room now. */
  | { kind: 'load' }
  /** There can never be enough room. `available` is the most room in bytes; `pinned` is true if pinned models hold the rest. */
  | { kind: 'refuse'; available: number; pinned?: true }
  /** This idle model must be unloaded. */
  | { kind: 'unload'; id: string }
  /** A load, an unload or a request must end first. The model `closed` gets no new users, so that it becomes idle. */
  | { kind: 'wait'; closed: string | null };

/**
 * Decides what to do for a model that needs `needed` bytes to be loaded. Idle models are unloaded, the least recently
 * used first. If there is none, the least recently used busy model is closed. Models that are loading or pinned are left alone.
 *
 * Call it only for the model whose first request has waited longest, and again after each change. Then no request waits
 * for ever: a closed model gets no new users, so it becomes idle. Until then its `usedAt` does not change, so the same
 * model stays closed.
 */
export function decideLoad(needed: number, residents: Resident[], { maxModels, memory }: ResidencyLimits): Decision {
  const { available, held } = memory;
  if (needed > available + held) return { kind: 'refuse', available: available + held };
  // The process does not hold all of `taken` yet: mapped files and models that still load are missing in `held`.
  const taken = residents.reduce((sum, resident) => sum + resident.memory, 0);
  const free = available - Math.max(0, taken - held);
  if (needed <= free && residents.length < (maxModels ?? Number.POSITIVE_INFINITY)) return { kind: 'load' };
  if (residents.length === 0) return { kind: 'refuse', available: free };
  if (residents.some(({ state }) => state === 'unloading')) return { kind: 'wait', closed: null };
  // Models that are pinned never make room, so there is nothing to wait for.
  if (residents.every(({ state, pinned }) => state === 'ready' && pinned))
    return { kind: 'refuse', available: free, pinned: true };

  const ready = residents
    .filter(({ state, pinned }) => state === 'ready' && !pinned)
    .sort((a, b) => a.usedAt - b.usedAt);
  const idle = ready.find(({ users }) => users === 0);
  return idle ? { kind: 'unload', id: idle.id } : { kind: 'wait', closed: ready[0]?.id ?? null };
}
