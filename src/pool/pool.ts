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
interface ServedModel extends LoadedThreads, AsyncDisposable {
  queue: SlotQueue;
}

/** A request's stay at a model's threads, with a slot that is free for it until it leaves. */
interface Entered {
  modelThreads: ModelThreads;
  leave: () => void;
}

type Open<E> = (port: Port) => Call<E>;

/** The server's Runner: worker threads for each model, loaded at a request and unloaded when others need the room. */
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

  /** Waits for the model, then for slots of it; both are kept until `leave`. Gives null when aborted before. */
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

  /** Opens a call on a thread of the model. The visit ends when the thread's slot is free again, or when the call can't be opened. */
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
      // Its slot is free before its caller is told of the end, so that the next request of a conversation finds it.
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
