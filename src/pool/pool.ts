import type { CallContext } from '../contract/call-context.ts';
import { serverError } from '../contract/errors.ts';
import type { GenerationEvent } from '../contract/events.ts';
import type { QuestionKind, Questions } from '../contract/questions.ts';
import type { LoadedModel, Residency } from '../contract/residency.ts';
import type { Runner } from '../contract/runner.ts';
import { eventsOf } from '../wire/events-of.ts';
import { describeConversation } from './affinity.ts';
import { createBackgroundCalls } from './background.ts';
import { createFindGpu } from './load/find-gpu.ts';
import { type LoadOptions, loadModelWorkers } from './load/load-model.ts';
import { createMemoryGauge } from './load/memory-gauge.ts';
import { MOST_DEFAULT_SLOTS } from './load/plan-slots.ts';
import { serviceFor } from './model-service.ts';
import { NOBODY, type PoolObserver } from './observer.ts';
import { createPoolMemory } from './pool-memory.ts';
import { type Claim, LoadGivenUp } from './residency/claim.ts';
import { createKeeper, type Keeper, type Kept } from './residency/keeper.ts';
import type { MemoryState } from './residency/residency.ts';
import { type Entered, enterModel, type ServedModel, serveModel } from './served-model.ts';
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
  /** True if prompts of different keys share no KV cache. The default is false. */
  isolateKeys?: boolean;
  /** A chat template of Paddock's own. With it, a thread that prepares requests starts before the first request; see `Preparer`. */
  firstTemplate?: string | undefined;
  /** Gets the loads, unloads, crashes and waits, for metrics. */
  observer?: PoolObserver;
  /** Returns the memory of the machine and of the models. By default it is measured. */
  memory?: LoadOptions['memory'];
}

/** The server's Runner. */
export interface Pool extends Runner, AsyncDisposable {
  /** The memory for models, by which loads are admitted. */
  memory(): MemoryState;
}

/**
 * Makes the server's Runner: workers for each model, loaded at a request and unloaded when others need the room. Its
 * functions throw as `Runner` says. After an abort, `ask` throws a 500 `ApiError`, which no client reads.
 */
export function createPool({ pinned = [], isolateKeys = false, observer = NOBODY, ...options }: PoolOptions): Pool {
  const { maxWaiting, copies, log } = options;
  const preparer = createPreparerPool();
  if (options.firstTemplate !== undefined) preparer.startAhead(options.firstTemplate);
  const findGpu = createFindGpu();
  const entering = { observer, background: createBackgroundCalls() };
  const pids = () => keeper.list().flatMap(({ model }) => model?.workers.pids() ?? []);
  const memory = createPoolMemory(options.memory ?? createMemoryGauge(pids), copies, () => keeper.list());
  const load = (id: string, claim: Claim) =>
    loadModelWorkers(id, { ...options, observer, memory: memory.forLoad, findGpu }, claim);
  const keeper: Keeper<ServedModel> = createKeeper<ServedModel>({
    load: async (id, claim) => {
      const claimed: Claim = async (needed) => {
        const lack = await claim(needed);
        if (lack === null) await copies?.freeMemory(needed - memory.measured().available);
        return lack;
      };
      return serveModel(await observeLoad(id, () => load(id, claimed), observer), maxWaiting);
    },
    isOutdated: ({ isOutdated }) => isOutdated(),
    maxModels: options.maxLoadedModels,
    idleTimeoutMs: options.idleTimeoutMs,
    isPinned: (id) => pinned.includes(id),
    onUnload: observer.unloaded,
    maxWaiting: (options.engine.slots ?? MOST_DEFAULT_SLOTS) + maxWaiting,
    memory: memory.forModels,
    log,
  });
  const serve = (id: string, { model, waitForSlots }: Entered, conversation: string, context: CallContext) =>
    serviceFor(model, conversation, context, {
      preparer,
      waitForSlots,
      isolateKeys,
      onTakeover: () => observer.tookOver(id),
    });

  return {
    generate(modelId, request, context) {
      return eventsOf<GenerationEvent>(async (emit, signal) => {
        preparer.startAhead();
        const entered = await enterModel(keeper, modelId, { ...context, signal }, entering, request.choices);
        if (!entered) return;
        try {
          const service = serve(modelId, entered, describeConversation(request), { ...context, signal });
          await service.generate(request, emit, signal);
        } finally {
          entered.leave();
        }
      }, context.signal);
    },

    async ask(modelId, kind, question, context) {
      const entered = await enterModel(keeper, modelId, context, entering);
      if (!entered) throw serverError('The client went away.');
      try {
        const conversation = conversationOf(question);
        return await serve(modelId, entered, conversation, context).ask(kind, question, context.signal);
      } finally {
        entered.leave();
      }
    },

    residency: residencyOf(keeper),
    loaded: () => keeper.list().flatMap(loadedModel),
    moving: () =>
      keeper.list().flatMap(({ id, state, waiting }) => (state === 'ready' ? [] : [{ id, state, waiting }])),
    memory: memory.forModels,

    async [Symbol.asyncDispose]() {
      await keeper[Symbol.asyncDispose]();
      await copies?.[Symbol.asyncDispose]();
      await preparer[Symbol.asyncDispose]();
      log.debug('pool closed');
    },
  };
}

/** Runs a load and tells the observer how it ended. */
async function observeLoad<T>(id: string, load: () => Promise<T>, observer: PoolObserver): Promise<T> {
  const began = performance.now();
  try {
    const loaded = await load();
    observer.loaded(id, performance.now() - began);
    return loaded;
  } catch (error) {
    if (error instanceof LoadGivenUp) observer.loadGivenUp(id);
    else observer.loadFailed(id);
    throw error;
  }
}

/** Returns the text by which a thread is chosen for a question, as for the generation that it is about. */
function conversationOf(question: Questions[QuestionKind]['question']): string {
  return 'request' in question ? describeConversation(question.request) : '';
}

function residencyOf(keeper: Keeper<ServedModel>): Residency {
  return {
    async load(modelId, signal) {
      const visit = await keeper.enter(modelId, signal);
      if (!visit) throw serverError('The client went away.');
      visit.leave();
    },
    unload: (modelId) => keeper.unload(modelId),
    keep: (modelId, ms) => keeper.keep(modelId, ms),
  };
}

function loadedModel({ id, model, waiting, expiresAt }: Kept<ServedModel>): LoadedModel[] {
  if (!model) return [];
  const { engine, fallbackReasons, memory, queue, held } = model;
  const figures = { busy: queue.busy, waiting: waiting + queue.waiting, heldTokens: held.count, expiresAt };
  return [{ id, engine, fallbackReasons, memory, ...figures }];
}
