import type { ModelTraits } from '../../chat/prepare.ts';
import type { BackendName, EngineInfo } from '../../contract/engine-info.ts';
import { ApiError, insufficientMemory, modelChanged, modelNotFound, serverError } from '../../contract/errors.ts';
import { type Log, toLogFields, withFields } from '../../contract/log.ts';
import type { ModelShape, ModelSource } from '../../engine/engine.ts';
import type { Gpu } from '../../engine/gpu.ts';
import {
  bytesReadPerToken,
  cachedBytesPerToken,
  earlierStates,
  estimateMemory,
  idleExpertBytes,
} from '../../engine/memory-estimate.ts';
import { memoryPlans } from '../../engine/memory-plans.ts';
import { findMediaLibrary, type MediaLibrary } from '../../engine/node/media-library.ts';
import { stampOf } from '../../engine/node/stamp.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { stateIdentityOf } from '../copies/identity.ts';
import type { CopyStore } from '../copies/store.ts';
import type { ModelWorkers } from '../model-workers.ts';
import { type EngineWatch, type PoolObserver, watchFor } from '../observer.ts';
import type { ConnectCopies } from '../process/engine-process.ts';
import { startModelProcess } from '../process/model-process.ts';
import type { Claim } from '../residency/claim.ts';
import type { MemoryState } from '../residency/residency.ts';
import { scaleInfo, startModelThreads } from '../threads/model-threads.ts';
import type { FindGpu } from './find-gpu.ts';
import { ADVICE, findRoom } from './find-room.ts';
import { bytesToPlanWith, partsFor, plannedBesideGpu, settingsOn, usableOn } from './plan-gpu.ts';
import { type AskedLoad, planLoad } from './plan-load.ts';
import { slotsReason } from './plan-slots.ts';

/** A loaded model: the threads or the process that hold it, and how it was loaded. */
export interface LoadedWorkers {
  engine: EngineInfo;
  /** The estimated memory in bytes, including memory on a GPU. */
  memory: number;
  /** Why better backends were not used. */
  fallbackReasons: string[];
  workers: ModelWorkers;
  /** The reasons for the length of the context window and for the number of slots, for the log. */
  contextReason: string;
  slotsReason: string;
  /** The model's traits for the chat layer, with the chat template to use. */
  traits: ModelTraits;
  /**
   * True if the model's files have been replaced since the load, or if it has other LoRA adapters now. False if files are missing: then
   * there is nothing to load instead.
   */
  isOutdated: () => boolean;
}

/** What all loads of a pool share. */
export interface LoadOptions {
  /** `auto` takes the first of GPU, CPU and WebAssembly that can load the model. */
  backend: 'auto' | BackendName;
  engine: AskedLoad;
  /** Returns the files of a model and its kind, or undefined if the model is unknown. */
  sourceOf: (modelId: string) => ModelSource | undefined;
  memory: () => MemoryState;
  findGpu: FindGpu;
  /** Receives the events of the model's engine. */
  observer: PoolObserver;
  /** Keeps copies of the KV caches of evicted slots; null keeps none. */
  copies?: CopyStore | null;
  log: Log;
}

/** The reason why a model can't run on a backend. */
interface Failure {
  /** For the log. */
  reason: string;
  /** For the client, if the reason is too little memory; else null. */
  shortage: string | null;
}

const PREFERENCE: BackendName[] = ['gpu', 'cpu', 'wasm'];

const DEPENDS_ON_PLACE = 'the native engine can not read its images apart from the text before them';

/**
 * Loads a model on the first backend that can. Throws an `ApiError`: a 404 for an unknown model, a 503 with the bytes needed and available
 * if there is too little memory, a 503 if its files change meanwhile, else a 500.
 */
export async function loadModelWorkers(id: string, options: LoadOptions, claim: Claim): Promise<LoadedWorkers> {
  const source = options.sourceOf(id);
  if (!source) throw modelNotFound(id);
  const { backends, reasons } = planBackends(options.backend, source);
  const failures: (Failure & { backend: BackendName })[] = [];
  for (const backend of backends) {
    const log = withFields(options.log, { model: id });
    const bound = { ...options, log, watch: watchFor(id, options.observer), connect: connectorTo(options.copies, id) };
    const result = await tryBackend(backend, source, bound, claim);
    if ('workers' in result) {
      const failed = failures.map(({ backend, reason }) => `${backend}: ${reason}`);
      const fallbackReasons = [...reasons, ...failed, ...result.fallbackReasons];
      const {
        device,
        slots,
        contextLength: context,
        gpuLayers,
        cpuExperts,
        threads,
        threadsReason,
        kernels,
        mtp,
      } = result.engine;
      options.log.info('model loaded', {
        model: id,
        backend,
        device,
        ...(backend === 'gpu' && { gpuLayers }),
        ...(cpuExperts !== undefined && { cpuExperts }),
        slots,
        slotsReason: result.slotsReason,
        context,
        contextReason: result.contextReason,
        threads,
        threadsReason,
        ...(kernels !== undefined && { kernels }),
        ...(mtp !== undefined && { mtp }),
        readPerToken: formatBytes(bytesReadPerToken(source.shape)),
        passedOver: fallbackReasons,
      });
      const isOutdated = () => result.isOutdated() || hasOtherAdapters(source, options.sourceOf(id));
      return { ...result, fallbackReasons, isOutdated };
    }
    failures.push({ backend, ...result });
  }
  options.log.error('model could not be loaded', { model: id, failures, passedOver: reasons });
  // The error tells the shortage on the CPU: there may be no GPU, and WebAssembly can hold less than the CPU.
  const shortage = (failures.find(({ backend }) => backend !== 'gpu') ?? failures[0])?.shortage;
  if (shortage) {
    const why = backends.length === 1 && reasons[0] ? ` It runs on WebAssembly alone. ${reasons[0]}.` : '';
    throw insufficientMemory(`The model '${id}' does not fit the memory: ${shortage}${why}`);
  }
  throw new ApiError({ ...serverError(`The model '${id}' could not be loaded.`).data, code: 'model_load_failed' });
}

/** True if the catalogue has other LoRA adapters for a model now: its requests may name them, or apply them by default. */
function hasOtherAdapters(loaded: ModelSource, current: ModelSource | undefined): boolean {
  return current !== undefined && JSON.stringify(current.adapters) !== JSON.stringify(loaded.adapters);
}

/**
 * Lists the backends to try for a model, in order, and the reasons why others are passed over. A model with a projector
 * runs on WebAssembly where the native engine cannot read media, whatever is wanted, and if all others fail. WebAssembly
 * applies no adapters, so a model with some falls back to it only if the configuration says so.
 *
 * @param library the library with which the native engine reads media; by default it is searched for
 */
export function planBackends(
  wanted: LoadOptions['backend'],
  {
    projector,
    shape,
    adapters,
  }: Pick<ModelSource, 'projector' | 'adapters'> & { shape?: Pick<ModelShape, 'projector'> },
  library?: MediaLibrary,
): { backends: BackendName[]; reasons: string[] } {
  const backends = wanted === 'auto' ? PREFERENCE : [wanted];
  const native = backends.filter((backend) => backend !== 'wasm');
  const usable = adapters && wanted === 'auto' ? native : backends;
  if (projector === undefined) return { backends: usable, reasons: [] };
  const found = library ?? findMediaLibrary();
  const reason = found.path === null ? found.reason : shape?.projector?.dependsOnPlace && DEPENDS_ON_PLACE;
  if (!reason) return { backends: adapters ? usable : [...new Set<BackendName>([...usable, 'wasm'])], reasons: [] };
  return {
    backends: ['wasm'],
    reasons: native.map((backend) => `${backend}: the model has a projector, and ${reason}`),
  };
}

/** Returns the function that connects an engine with the store's copies of this identity. */
type Connector = (identity: string) => ConnectCopies;

function connectorTo(copies: LoadOptions['copies'], id: string): Connector | null {
  return copies ? (identity) => (send) => copies.connect(identity, id, send) : null;
}

/** The device that a model is to run on, and the bytes available there. */
interface Ground {
  gpu: Gpu | null;
  /** Why other GPU runtimes are not used. */
  passedOver: string[];
  available: number;
}

async function findGround(
  backend: BackendName,
  { findGpu, memory }: Pick<LoadOptions, 'findGpu' | 'memory'>,
): Promise<Ground | Failure> {
  if (backend !== 'gpu') return { gpu: null, passedOver: [], available: memory().available };
  const { gpu, passedOver } = await findGpu();
  if (!gpu) return { reason: passedOver.join('; '), shortage: null };
  return { gpu, passedOver, available: usableOn(gpu, memory().available) };
}

/** Logs which files of a model WebAssembly leaves out. */
function warnOfUnused({ draft, eagle3, adapters }: ModelSource, log: Log): void {
  if (draft || eagle3) log.warn('draft model not used', { reason: 'WebAssembly runs one model alone' });
  if (adapters)
    log.warn('LoRA adapters not used', { reason: 'WebAssembly applies none; requests for one are refused' });
}

function warnOfFile(shape: ModelShape, available: number, log: Log): void {
  log.warn('not all weights fit the memory: experts are read from the file when a token uses them', {
    weights: formatBytes(shape.fileBytes),
    available: formatBytes(available),
    readPerToken: formatBytes(bytesReadPerToken(shape)),
  });
}

async function tryBackend(
  backend: BackendName,
  source: ModelSource,
  options: LoadOptions & { watch: EngineWatch; connect: Connector | null },
  claim: Claim,
): Promise<LoadedWorkers | Failure> {
  const { engine, memory, log, watch, connect } = options;
  const { shape, loading, ...files } = source;
  const asked = { ...engine, ...loading };
  const ground = await findGround(backend, options);
  if ('reason' in ground) return ground;
  const { gpu, passedOver, available } = ground;
  const { chosen, sizes, batch, windows } = planLoad(
    source,
    backend,
    asked,
    bytesToPlanWith(shape, gpu, available),
    gpu?.sharesMemory === false,
  );
  const { threads } = sizes;
  if (backend === 'wasm') warnOfUnused(source, log);
  const states = earlierStates(shape, sizes.slots);
  const wanted = { ...asked, ...files, ...batch, slots: chosen.slots, mostSlots: chosen.mostSlots, states };
  // On a GPU only the shortest window is checked, to refuse a model that can't fit at all.
  const lengths = gpu ? windows.lengths.slice(-1) : windows.lengths;
  const room = await findRoom(shape, memoryPlans(sizes, lengths), claim, (plan, needed) =>
    gpu
      ? plannedBesideGpu(gpu, available, partsFor(shape, plan, gpu), {
          ...wanted,
          ...settingsOn(gpu, windows.lengths, plan.contextLength),
        })
      : needed,
  );
  if ('shortage' in room) return { reason: room.shortage, shortage: room.shortage };
  if (room.fromFile) warnOfFile(shape, memory().available, log);

  const stamp = stampOf(source);
  // WebAssembly can't write a slot's state, and without a stamp a copy could not be told from one of other files.
  const connectCopies =
    backend === 'wasm' || stamp === null ? undefined : connect?.(stateIdentityOf(stamp, backend, asked.kvType));
  const config = {
    backend,
    stamp,
    engine: {
      ...wanted,
      ...settingsOn(gpu, windows.lengths, room.plan.contextLength),
      floatCache: room.plan.floatCache,
    },
    memory: {
      needed: room.total,
      available: memory().available,
      ...(gpu && { parts: partsFor(shape, room.plan, gpu) }),
    },
    copies: connectCopies ? { bytesPerToken: cachedBytesPerToken(shape, asked.kvType) } : null,
  };
  const workers =
    backend === 'wasm'
      ? startModelThreads(config, threads, sizes.slots, log)
      : startModelProcess(config, log, watch, connectCopies);
  const result = await workers.load().catch((error: unknown) => ({
    ok: false as const,
    reason: String(toLogFields(error).error),
    lacksMemory: false,
    changed: false,
  }));
  if (result.ok) {
    const { total } = estimateMemory(shape, { ...room.plan, contextLength: result.info.contextLength });
    const traits = { ...result.traits, chatTemplate: source.chatTemplate ?? result.traits.chatTemplate };
    const asPlanned = result.info.contextLength >= (windows.lengths[0] ?? 0);
    const contextReason = gpu && !asPlanned ? 'the longest that fits the GPU' : windows.reason;
    const isOutdated = () => ![stamp, null].includes(stampOf(source));
    return {
      engine: scaleInfo(result.info, threads),
      // Experts that a token leaves out are kept in memory as far as there is room.
      memory: room.fromFile ? total - idleExpertBytes(shape) : total,
      fallbackReasons: passedOver,
      contextReason,
      slotsReason: slotsReason(result.info.slots, chosen),
      workers,
      traits,
      isOutdated,
    };
  }
  await workers[Symbol.asyncDispose]();
  if (result.changed) throw modelChanged();
  const { reason, lacksMemory } = result;
  return { reason, shortage: lacksMemory ? `it needs about ${formatBytes(room.needed)}. ${ADVICE}` : null };
}
