import { availableParallelism } from 'node:os';
import { ApiError, modelNotFound, serverError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { BackendName, EngineInfo, Runner } from '../core/runner.ts';
import { createSlotQueue, type SlotQueue } from '../core/slot-queue.ts';
import type { EngineOptions, ModelSource } from '../engine/engine.ts';
import { type ModelWorkers, planThreads, scaleInfo, startModelWorkers } from './model-workers.ts';

export interface PoolOptions {
  /** `auto` takes the first of GPU, CPU and WebAssembly that loads the model. */
  backend: 'auto' | BackendName;
  engine: Omit<EngineOptions, keyof ModelSource | 'gpuLayers'>;
  /** Requests of one model that may wait for a slot. */
  maxWaiting: number;
  /** Models in memory at once; null leaves it to the memory. */
  maxLoadedModels: number | null;
  /** How long a model that nobody uses stays loaded; null is for ever. */
  idleTimeoutMs: number | null;
  /** Where a model lies and what it is for. */
  sourceOf: (modelId: string) => ModelSource | undefined;
  log: Log;
}

interface ServedModel {
  id: string;
  engine: EngineInfo;
  fallbackReasons: string[];
  workers: ModelWorkers;
  queue: SlotQueue;
}

const PREFERENCE: BackendName[] = ['gpu', 'cpu', 'wasm'];

/** The server's Runner: worker threads for each model, started at its first request and kept. */
export function createPool(options: PoolOptions): Runner & AsyncDisposable {
  const { log } = options;
  const starting = new Map<string, Promise<ServedModel>>();
  const served = new Map<string, ServedModel>();

  /** All requests of a burst share one load; a load that failed is tried again by the next request. */
  const serve = (id: string): Promise<ServedModel> => {
    let model = starting.get(id);
    if (!model) {
      model = startModel(id, options);
      starting.set(id, model);
      model.then(
        (started) => served.set(id, started),
        () => starting.delete(id),
      );
    }
    return model;
  };

  return {
    async *generate(modelId, request, signal) {
      const { workers, queue, engine } = await serve(modelId);
      const release = await queue.acquire(signal, Math.min(request.choices, engine.slots));
      if (release) yield* workers.generate(request, signal, release);
    },

    async ask(modelId, kind, question, signal) {
      const { workers, queue } = await serve(modelId);
      const release = await queue.acquire(signal);
      if (!release) throw serverError('The client went away.');
      return workers.ask(kind, question, signal, release);
    },

    loaded: () =>
      [...served.values()].map(({ id, engine, fallbackReasons, queue }) => ({
        id,
        engine,
        fallbackReasons,
        busy: queue.busy,
        waiting: queue.waiting,
      })),

    async [Symbol.asyncDispose]() {
      const models = await Promise.allSettled(starting.values());
      served.clear();
      await Promise.all(
        models.map((model) => model.status === 'fulfilled' && model.value.workers[Symbol.asyncDispose]()),
      );
      log.debug('pool closed');
    },
  };
}

/** Loads a model on the first backend that can. Throws a 500 `ApiError` when none can. */
async function startModel(id: string, options: PoolOptions): Promise<ServedModel> {
  const source = options.sourceOf(id);
  if (!source) throw modelNotFound(id);
  const backends = options.backend === 'auto' ? PREFERENCE : [options.backend];
  const reasons: string[] = [];
  for (const backend of backends) {
    const result = await tryBackend(backend, source, options);
    if (result.ok) {
      const { engine, workers } = result;
      options.log.info('model loaded', {
        model: id,
        backend,
        device: engine.device,
        slots: engine.slots,
        context: engine.contextLength,
        passedOver: reasons,
      });
      return {
        id,
        engine,
        fallbackReasons: reasons,
        workers,
        queue: createSlotQueue(engine.slots, options.maxWaiting),
      };
    }
    reasons.push(`${backend}: ${result.reason}`);
  }
  options.log.error('model could not be loaded', { model: id, reasons });
  throw new ApiError({ ...serverError(`The model '${id}' could not be loaded.`).data, code: 'model_load_failed' });
}

async function tryBackend(
  backend: BackendName,
  { shape: _, loading, ...source }: ModelSource,
  { engine, log }: PoolOptions,
) {
  const config = { backend, engine: { ...engine, ...loading, ...source } };
  const { threads, slots } = planThreads(config, availableParallelism());
  const workers = startModelWorkers(config, threads, slots, log);
  const result = await workers.load().catch((error: unknown) => ({ ok: false as const, reason: String(error) }));
  if (!result.ok) {
    await workers[Symbol.asyncDispose]();
    return result;
  }
  return { ok: true as const, engine: scaleInfo(result.info, threads), workers };
}
