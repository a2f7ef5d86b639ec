import type { CallContext } from '../contract/call-context.ts';
import { createSlotQueue, type SlotQueue } from '../dispatch/slot-queue.ts';
import { createHeldTokens, type HeldTokens } from './held-tokens.ts';
import type { LoadedWorkers } from './load/load-model.ts';
import type { PoolObserver } from './observer.ts';
import type { Keeper } from './residency/keeper.ts';
import { createRetryGate, type RetryGate } from './retry-gate.ts';

/** A loaded model and the queue for its slots. */
export interface ServedModel extends LoadedWorkers, AsyncDisposable {
  queue: SlotQueue;
  retryGate: RetryGate;
  held: HeldTokens;
}

/** @param maxWaiting the most requests that may wait for a slot */
export function serveModel(loaded: LoadedWorkers, maxWaiting: number): ServedModel {
  return {
    ...loaded,
    queue: createSlotQueue(loaded.engine.slots, maxWaiting),
    retryGate: createRetryGate(),
    held: createHeldTokens(),
    [Symbol.asyncDispose]: () => loaded.workers[Symbol.asyncDispose](),
  };
}

/** A request's use of a model: a slot is free for it until it leaves. */
export interface Entered {
  model: ServedModel;
  leave: () => void;
}

/**
 * Waits until the model is loaded and then for slots, one for each choice. The request has both until `leave`. Returns null if the
 * signal aborts first. Throws an `ApiError` if the model can't be loaded or the queue is full.
 */
export async function enterModel(
  keeper: Keeper<ServedModel>,
  id: string,
  { signal, party, figures }: CallContext,
  observer: PoolObserver,
  choices = 1,
): Promise<Entered | null> {
  const visit = await keeper.enter(id, signal);
  if (!visit) return null;
  const { model } = visit;
  const began = performance.now();
  const count = Math.min(choices, model.engine.slots);
  const release = await model.queue.acquire(signal, count, party).catch((error: unknown) => {
    visit.leave();
    throw error;
  });
  const waited = performance.now() - began;
  observer.waited(id, waited);
  if (figures) figures.queuedMs += waited;
  const leave = () => {
    release?.();
    visit.leave();
  };
  if (release) return { model, leave };
  leave();
  return null;
}
