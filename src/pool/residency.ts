/** A model that is in memory, or on its way in or out. */
export interface Resident {
  id: string;
  state: 'loading' | 'ready' | 'unloading';
  /** Bytes that it takes, or will. */
  memory: number;
  /** Requests in it: those that run and those that wait for one of its slots. */
  users: number;
  /** When it was used last; any number that grows. */
  usedAt: number;
}

/** Memory as the system tells it, in bytes. */
export interface MemoryState {
  /** What nobody uses, or would give up. */
  available: number;
  /** What this process holds for models. */
  held: number;
}

export interface Limits {
  /** Models in memory at once; null leaves it to the memory. */
  maxModels: number | null;
  memory: MemoryState;
}

export type Decision =
  /** There is room. */
  | { kind: 'load' }
  /** There never will be; `available` is all that there could be. */
  | { kind: 'refuse'; available: number }
  /** An idle model gives way. */
  | { kind: 'unload'; id: string }
  /** Something must end first. `closed` takes no new users, so that it comes to be idle. */
  | { kind: 'wait'; closed: string | null };

/**
 * What to do for a model that is to be loaded and needs that many bytes. Idle models give way, the least recently used
 * first; if there is none, the least recently used busy one is closed. Models that load are left alone.
 *
 * Asked for the one who has waited longest only, and again after each change, it starves nobody: a closed model has no
 * new users and so becomes idle, and it was chosen by its last arrival, which no longer changes.
 */
export function makeRoom(needed: number, residents: Resident[], { maxModels, memory }: Limits): Decision {
  const { available, held } = memory;
  if (needed > available + held) return { kind: 'refuse', available: available + held };
  // What is spoken for: mapped files and models still loading are not held yet.
  const taken = residents.reduce((sum, resident) => sum + resident.memory, 0);
  const free = available - Math.max(0, taken - held);
  if (needed <= free && residents.length < (maxModels ?? Number.POSITIVE_INFINITY)) return { kind: 'load' };
  if (residents.length === 0) return { kind: 'refuse', available: free };
  if (residents.some(({ state }) => state === 'unloading')) return { kind: 'wait', closed: null };

  const ready = residents.filter(({ state }) => state === 'ready').sort((a, b) => a.usedAt - b.usedAt);
  const idle = ready.find(({ users }) => users === 0);
  return idle ? { kind: 'unload', id: idle.id } : { kind: 'wait', closed: ready[0]?.id ?? null };
}
