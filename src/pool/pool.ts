import { serverError } from '../core/errors.ts';
import type { Runner } from '../core/runner.ts';
import { createSlotQueue, type SlotQueue } from '../core/slot-queue.ts';
import { createKeeper } from './keeper.ts';
import { type LoadedWorkers, type LoadOptions, loadModel } from './load-model.ts';
import { createMemoryGauge } from './memory-gauge.ts';

export interface PoolOptions extends Omit<LoadOptions, 'memory'> {
  /** Requests of one model that may wait for a slot; while it loads, as many more as it has slots. */
  maxWaiting: number;
  /** Models in memory at once; null leaves it to the memory. */
  maxLoadedModels: number | null;
  /** How long a model that nobody uses stays loaded; null is for ever. */
  idleTimeoutMs: number | null;
  /** How much memory there is; measured where nobody says. */
  memory?: LoadOptions['memory'];
}

/** A model's worker threads and the queue for their slots. */
interface ServedModel extends LoadedWorkers, AsyncDisposable {
  queue: SlotQueue;
}

/** The server's Runner: worker threads for each model, loaded at a request and unloaded when others need the room. */
export function createPool({ memory = createMemoryGauge(), ...options }: PoolOptions): Runner & AsyncDisposable {
  const { maxWaiting, log } = options;
  const keeper = createKeeper<ServedModel>({
    load: async (id, claim) => {
      const loaded = await loadModel(id, { ...options, memory }, claim);
      const queue = createSlotQueue(loaded.engine.slots, maxWaiting);
      return { ...loaded, queue, [Symbol.asyncDispose]: () => loaded.workers[Symbol.asyncDispose]() };
    },
    maxModels: options.maxLoadedModels,
    idleTimeoutMs: options.idleTimeoutMs,
    maxWaiting: options.engine.slots + maxWaiting,
    memory,
    log,
  });

  /** Waits for the model, then for slots of it; both are kept until `leave`. Gives null when aborted before. */
  const enter = async (id: string, signal: AbortSignal, choices = 1) => {
    const visit = await keeper.enter(id, signal);
    if (!visit) return null;
    const { engine, queue, workers } = visit.model;
    const release = await queue.acquire(signal, Math.min(choices, engine.slots)).catch((error: unknown) => {
      visit.leave();
      throw error;
    });
    const leave = () => {
      release?.();
      visit.leave();
    };
    if (release) return { workers, leave };
    leave();
    return null;
  };

  return {
    async *generate(modelId, request, signal) {
      const entered = await enter(modelId, signal, request.choices);
      if (entered) yield* entered.workers.generate(request, signal, entered.leave);
    },

    async ask(modelId, kind, question, signal) {
      const entered = await enter(modelId, signal);
      if (!entered) throw serverError('The client went away.');
      return entered.workers.ask(kind, question, signal, entered.leave);
    },

    loaded: () =>
      keeper.list().flatMap(({ id, model, waiting }) => {
        if (!model) return [];
        const { engine, fallbackReasons, memory, queue } = model;
        return [{ id, engine, fallbackReasons, memory, busy: queue.busy, waiting: waiting + queue.waiting }];
      }),

    moving: () =>
      keeper.list().flatMap(({ id, state, waiting }) => (state === 'ready' ? [] : [{ id, state, waiting }])),

    async [Symbol.asyncDispose]() {
      await keeper[Symbol.asyncDispose]();
      log.debug('pool closed');
    },
  };
}
