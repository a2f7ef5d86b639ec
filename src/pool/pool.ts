import { serverError } from '../core/errors.ts';
import { answerOf, callAsk, callGenerate } from '../core/inference.ts';
import type { Runner } from '../core/runner.ts';
import { createSlotQueue, type SlotQueue } from '../core/slot-queue.ts';
import type { Call, CallContext, Port } from '../core/wire.ts';
import { describeConversation } from './affinity.ts';
import { createKeeper } from './keeper.ts';
import { type LoadedThreads, type LoadOptions, loadModel } from './load-model.ts';
import { createMemoryGauge } from './memory-gauge.ts';
import type { ModelThreads } from './model-threads.ts';

export interface PoolOptions extends Omit<LoadOptions, 'memory'> {
  /** The most requests that may wait for a slot of one model. While the model loads, `engine.slots` more may wait. */
  maxWaiting: number;
  /** The most models in memory at once; null means that only memory limits them. */
  maxLoadedModels: number | null;
  /** How long an idle model stays loaded, in ms; null means for ever. */
  idleTimeoutMs: number | null;
  /** Returns how much memory there is. By default it is measured. */
  memory?: LoadOptions['memory'];
}

/** A model's worker threads and the queue for their slots. */
interface ServedModel extends LoadedThreads, AsyncDisposable {
  queue: SlotQueue;
}

/** A request's use of a model's threads. It has its slots until `leave` is called. */
interface Entered {
  modelThreads: ModelThreads;
  leave: () => void;
}

type Open<E> = (port: Port) => Call<E>;

/**
 * Makes the server's `Runner`. Each model has its own worker threads. A model is loaded at its first request and
 * unloaded when others need the room or when it is idle for too long.
 */
export function createPool({ memory = createMemoryGauge(), ...options }: PoolOptions): Runner & AsyncDisposable {
  const { maxWaiting, log } = options;
  const keeper = createKeeper<ServedModel>({
    load: async (id, claim) => {
      const loaded = await loadModel(id, { ...options, memory }, claim);
      const queue = createSlotQueue(loaded.engine.slots, maxWaiting);
      return { ...loaded, queue, [Symbol.asyncDispose]: () => loaded.modelThreads[Symbol.asyncDispose]() };
    },
    maxModels: options.maxLoadedModels,
    idleTimeoutMs: options.idleTimeoutMs,
    maxWaiting: options.engine.slots + maxWaiting,
    memory,
    log,
  });

  /** Waits for the model and then for slots; both are kept until `leave`. Returns null if the signal aborts first. */
  const enter = async (id: string, signal: AbortSignal, choices = 1): Promise<Entered | null> => {
    const visit = await keeper.enter(id, signal);
    if (!visit) return null;
    const { engine, queue, modelThreads } = visit.model;
    const release = await queue.acquire(signal, Math.min(choices, engine.slots)).catch((error: unknown) => {
      visit.leave();
      throw error;
    });
    const leave = () => {
      release?.();
      visit.leave();
    };
    if (release) return { modelThreads, leave };
    leave();
    return null;
  };

  /**
   * Opens a call on a thread of the model. Leaves the model when the thread's slot is free again, or if the call can't
   * be opened.
   */
  const open = <E>({ modelThreads, leave }: Entered, conversation: string, context: CallContext, on: Open<E>) => {
    try {
      const call = modelThreads.call(conversation, context, on);
      void call.settled.then(leave);
      return call;
    } catch (error) {
      leave();
      throw error;
    }
  };

  return {
    async *generate(modelId, request, context) {
      const entered = await enter(modelId, context.signal, request.choices);
      if (!entered) return;
      const conversation = describeConversation(request.prompt);
      const { events, settled } = open(entered, conversation, context, (port) => callGenerate(port, request, context));
      yield* events;
      // The slot is freed before the caller learns of the end, so that the next request of the conversation can get it.
      if (!context.signal.aborted) await settled;
    },

    async ask(modelId, kind, question, context) {
      const entered = await enter(modelId, context.signal);
      if (!entered) throw serverError('The client went away.');
      const call = open(entered, '', context, (port) => callAsk(port, kind, question, context));
      const answer = await answerOf(call);
      await call.settled;
      return answer;
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
