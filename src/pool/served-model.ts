import type { CallContext, Party } from '../contract/call-context.ts';
import { slotsBesideOthers } from '../dispatch/slot-order.ts';
import { createSlotQueue, type SlotPlace, type SlotQueue } from '../dispatch/slot-queue.ts';
import type { BackgroundCalls } from './background.ts';
import { createHeldTokens, type HeldTokens } from './held-tokens.ts';
import type { LoadedWorkers } from './load/load-model.ts';
import type { PoolObserver } from './observer.ts';
import type { Keeper } from './residency/keeper.ts';
import { createRetryGate, type RetryGate } from './retry-gate.ts';

/** Work in the background takes all slots once no other request has held one for this time, in ms. */
const CALM_MS = 2000;

/** A loaded model and the queue for its slots. */
export interface ServedModel extends LoadedWorkers, AsyncDisposable {
  queue: SlotQueue;
  retryGate: RetryGate;
  held: HeldTokens;
}

/** @param maxWaiting the most requests that may wait for a slot */
export function serveModel(loaded: LoadedWorkers, maxWaiting: number): ServedModel {
  const { slots } = loaded.engine;
  return {
    ...loaded,
    queue: createSlotQueue(slots, maxWaiting, {
      backgroundBesideOthers: slotsBesideOthers(slots),
      calmMs: CALM_MS,
    }),
    retryGate: createRetryGate(),
    held: createHeldTokens(),
    [Symbol.asyncDispose]: () => loaded.workers[Symbol.asyncDispose](),
  };
}

/** A request's use of a model. */
export interface Entered {
  model: ServedModel;
  /**
   * Waits for the slots. Call it once, when the request is prepared: a request holds no slot before. Resolves to false if the signal
   * aborts first. Throws a 503 `ApiError` if another party's request got the place of this one in a full queue.
   */
  waitForSlots: () => Promise<boolean>;
  /** Frees the slots and lets the model be unloaded. */
  leave: () => void;
}

/**
 * Waits until the model is loaded and takes a place in the queue for its slots, one for each choice. If it is not loaded,
 * the calls in the background end, which may free the room that it needs. Returns null if the signal aborts first. Throws
 * an `ApiError` if the model can't be loaded or the queue is full.
 */
export async function enterModel(
  keeper: Keeper<ServedModel>,
  id: string,
  { signal, party, figures }: CallContext,
  { observer, background }: { observer: PoolObserver; background: BackgroundCalls },
  choices = 1,
): Promise<Entered | null> {
  if (!party?.giveWay && !keeper.isLoaded(id)) background.giveWay();
  const visit = await keeper.enter(id, signal);
  if (!visit) return null;
  const { model } = visit;
  const forget = background.enter(party);
  const leaveModel = () => {
    forget();
    visit.leave();
  };
  const place = joinQueue(model.queue, Math.min(choices, model.engine.slots), party, leaveModel);
  return {
    model,
    async waitForSlots() {
      const began = performance.now();
      const entered = await place.enter(signal);
      const waited = performance.now() - began;
      observer.waited(id, waited);
      if (figures) figures.queuedMs += waited;
      return entered;
    },
    leave() {
      place.leave();
      leaveModel();
    },
  };
}

function joinQueue(queue: SlotQueue, count: number, party: Party | undefined, leave: () => void): SlotPlace {
  try {
    return queue.join(count, party);
  } catch (error) {
    leave();
    throw error;
  }
}
