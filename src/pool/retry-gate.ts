import { createSlotQueue } from '../dispatch/slot-queue.ts';

/**
 * Lets requests whose engine crashed retry one at a time. So the request that crashes engines is alone on the next engine, and
 * gets the error; the other requests go on.
 */
export interface RetryGate {
  /**
   * Waits for this request's turn. Returns the function that ends the turn, which may be called twice, or null if the signal
   * aborts first.
   */
  enter(signal: AbortSignal): Promise<(() => void) | null>;
}

/** Makes the gate of one model. Any number of requests may wait at it. */
export function createRetryGate(): RetryGate {
  const queue = createSlotQueue(1, Number.POSITIVE_INFINITY);
  return { enter: (signal) => queue.acquire(signal) };
}
