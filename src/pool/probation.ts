import { createSlotQueue } from '../dispatch/slot-queue.ts';

/** Lets requests that saw their engine die be taken up one at a time. */
export interface Probation {
  /** Waits for its turn; the function that comes ends the turn, and calling it twice does no harm. Null when aborted before. */
  enter(signal: AbortSignal): Promise<(() => void) | null>;
}

export function createProbation(): Probation {
  const queue = createSlotQueue(1, Number.POSITIVE_INFINITY);
  return { enter: (signal) => queue.acquire(signal) };
}
