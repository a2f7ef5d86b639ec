import type { CallContext } from '../contract/call-context.ts';
import { serverError } from '../contract/errors.ts';
import type { EngineEvent, GenerationEvent } from '../contract/events.ts';
import type { Inference } from '../contract/inference.ts';
import type { Runner } from '../contract/runner.ts';
import { createSlotQueue, type SlotQueue } from '../dispatch/slot-queue.ts';
import { type ChatService, chatServiceOver } from '../engine/chat-service.ts';
import type { TextRequest } from '../engine/engine.ts';
import { sum } from '../utils/sum.ts';
import { eventsOf } from '../wire/events-of.ts';
import { describeConversation } from './affinity.ts';
import { createHeldTokens, type HeldTokens } from './held-tokens.ts';
import { createFindGpu } from './load/find-gpu.ts';
import { type LoadedWorkers, type LoadOptions, loadModelWorkers } from './load/load-model.ts';
import { createMemoryGauge } from './load/memory-gauge.ts';
import { MOST_DEFAULT_SLOTS } from './load/plan-slots.ts';
import { NOBODY, type PoolObserver } from './observer.ts';
import { type Claim, LoadGivenUp } from './residency/claim.ts';
import { createKeeper, type Keeper } from './residency/keeper.ts';
import type { MemoryState } from './residency/residency.ts';
import { createRetryGate, type RetryGate } from './retry-gate.ts';
import { askWorkers, generateOnWorkers } from './takeover.ts';
import { createPreparerPool } from './threads/preparer.ts';

export interface PoolOptions extends Omit<LoadOptions, 'memory' | 'findGpu' | 'observer'> {
  /** The most requests that may wait for a slot of one model. While the model loads, `engine.slots` more may wait. */
  maxWaiting: number;
  /** The most models in memory at once; null means that only memory limits them. */
  maxLoadedModels: number | null;
  /** How long an idle model stays loaded, in ms; null means for ever. */
  idleTimeoutMs: number | null;
  /** The models that are never unloaded for others or for being idle. By default none. */
  pinned?: readonly string[];
  /** Whether prompts of different keys share no cache. By default they do. */
  isolateKeys?: boolean;
  /** Is told what happens to models. */
  observer?: PoolObserver;
  /** Returns how much memory there is. By default it is measured. */
  memory?: LoadOptions['memory'];
}

/** A loaded model and the queue for its slots. */
interface ServedModel extends LoadedWorkers, AsyncDisposable {
  queue: SlotQueue;
  retryGate: RetryGate;
  held: HeldTokens;
}

/** A request's stay at a model, with a slot that is free for it until it leaves. */
interface Entered {
  model: ServedModel;
  leave: () => void;
}

/** The server's Runner. */
export interface Pool extends Runner, AsyncDisposable {
  /** The memory that models may have, as loads go by it. */
  memory(): MemoryState;
}

/** Makes the server's Runner: workers for each model, loaded at a request and unloaded when others need the room. */
export function createPool({
  memory,
  pinned = [],
  isolateKeys = false,
  observer = NOBODY,
  ...options
}: PoolOptions): Pool {
  const { maxWaiting, copies, log } = options;
  const preparer = createPreparerPool();
  const findGpu = createFindGpu();
  const pids = () => keeper.list().flatMap(({ model }) => model?.workers.pids() ?? []);
  const measureAll = memory ?? createMemoryGauge(pids);
  /** Copies in RAM give way to models. */
  const measure = (): MemoryState => {
    const { available, held } = measureAll();
    return { available: available + (copies?.held().ram ?? 0), held };
  };
  /** Leaves out what loaded models have not taken yet: their caches grow with their conversations. */
  const measureForLoad = (): MemoryState => {
    const { available, held } = measure();
    const promised = sum(keeper.list().map(({ state, memory }) => (state === 'ready' ? memory : 0)));
    return { available: Math.max(0, available - Math.max(0, promised - held)), held };
  };
  const keeper: Keeper<ServedModel> = createKeeper<ServedModel>({
    load: async (id, claim) => {
      const claimed: Claim = async (needed) => {
        const lack = await claim(needed);
        if (lack === null) await copies?.freeMemory(needed - measureAll().available);
        return lack;
      };
      const began = performance.now();
      const loaded = await loadModelWorkers(
        id,
        { ...options, observer, memory: measureForLoad, findGpu },
        claimed,
      ).catch((error: unknown) => {
        if (error instanceof LoadGivenUp) observer.loadGivenUp(id);
        else observer.loadFailed(id);
        throw error;
      });
      observer.loaded(id, performance.now() - began);
      const queue = createSlotQueue(loaded.engine.slots, maxWaiting);
      const dispose = () => loaded.workers[Symbol.asyncDispose]();
      return {
        ...loaded,
        queue,
        retryGate: createRetryGate(),
        held: createHeldTokens(),
        [Symbol.asyncDispose]: dispose,
      };
    },
    isOutdated: ({ isOutdated }) => isOutdated(),
    maxModels: options.maxLoadedModels,
    idleTimeoutMs: options.idleTimeoutMs,
    isPinned: (id) => pinned.includes(id),
    onUnload: observer.unloaded,
    maxWaiting: (options.engine.slots ?? MOST_DEFAULT_SLOTS) + maxWaiting,
    memory: measure,
    log,
  });

  /** Waits for the model and then for slots; both are kept until `leave`. Returns null if the signal aborts first. */
  const enter = async (id: string, { signal, party, figures }: CallContext, choices = 1): Promise<Entered | null> => {
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
  };

  /** The model as conversations, for one call: its engine may be in another process, its templates are in other threads. */
  const serviceFor = (id: string, model: ServedModel, conversation: string, context: CallContext): ChatService => {
    const { workers, retryGate, traits, held } = model;
    const engine: Inference<TextRequest, EngineEvent> = {
      async generate(request, emit, signal) {
        const holding = held.open(request.choices);
        const scoped = isolateKeys && context.party ? { ...request, cacheScope: context.party.name } : request;
        const say = (event: EngineEvent) => {
          holding.note(event);
          if (event.kind === 'pause') observer.tookOver(id);
          emit(event);
        };
        try {
          await generateOnWorkers(workers, retryGate, scoped, conversation, say, { ...context, signal });
        } finally {
          holding.close();
        }
      },
      ask: (kind, question, signal = context.signal) => askWorkers(workers, kind, question, { ...context, signal }),
    };
    const prepare: Parameters<typeof chatServiceOver>[1] = (request, signal) =>
      preparer.prepare(traits, request, signal);
    return chatServiceOver(engine, prepare, traits.chatTemplate);
  };

  return {
    generate(modelId, request, context) {
      return eventsOf<GenerationEvent>(async (emit, signal) => {
        const entered = await enter(modelId, { ...context, signal }, request.choices);
        if (!entered) return;
        try {
          const conversation = describeConversation(request);
          const service = serviceFor(modelId, entered.model, conversation, { ...context, signal });
          await service.generate(request, emit, signal);
        } finally {
          entered.leave();
        }
      }, context.signal);
    },

    async ask(modelId, kind, question, context) {
      const entered = await enter(modelId, context);
      if (!entered) throw serverError('The client went away.');
      try {
        return await serviceFor(modelId, entered.model, '', context).ask(kind, question, context.signal);
      } finally {
        entered.leave();
      }
    },

    residency: {
      async load(modelId, signal) {
        const visit = await keeper.enter(modelId, signal);
        if (!visit) throw serverError('The client went away.');
        visit.leave();
      },
      unload: (modelId) => keeper.unload(modelId),
      keep: (modelId, ms) => keeper.keep(modelId, ms),
    },

    loaded: () =>
      keeper.list().flatMap(({ id, model, waiting, expiresAt }) => {
        if (!model) return [];
        const { engine, fallbackReasons, memory, queue, held } = model;
        const { busy } = queue;
        const figures = { busy, waiting: waiting + queue.waiting, heldTokens: held.count, expiresAt };
        return [{ id, engine, fallbackReasons, memory, ...figures }];
      }),

    moving: () =>
      keeper.list().flatMap(({ id, state, waiting }) => (state === 'ready' ? [] : [{ id, state, waiting }])),

    memory: measure,

    async [Symbol.asyncDispose]() {
      await keeper[Symbol.asyncDispose]();
      await copies?.[Symbol.asyncDispose]();
      await preparer[Symbol.asyncDispose]();
      log.debug('pool closed');
    },
  };
}
