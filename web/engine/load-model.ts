import type { EngineInfo } from '../../src/contract/engine-info.ts';
import { ApiError, insufficientMemory, serverError } from '../../src/contract/errors.ts';
import { type Log, toLogFields } from '../../src/contract/log.ts';
import { wasmBatch } from '../../src/engine/batch-size.ts';
import { createJournaledService, type JournaledService } from '../../src/engine/chat-service.ts';
import type { TextEngine } from '../../src/engine/engine.ts';
import { InsufficientMemory } from '../../src/engine/memory-estimate.ts';
import { createWasmEngine, type WasmAssets, type WasmEngineOptions } from '../../src/engine/wasm/engine.ts';
import { mostUsefulThreads } from '../../src/engine/wasm/threads.ts';
import { messageOf } from '../../src/utils/error-message.ts';
import type { CardTraits } from '../gpu/adapter.ts';
import type { BrowserModel, BrowserSource } from '../protocol.ts';
import { planContext } from './context-plan.ts';
import { type Device, withLayers, withMostThreads, withoutGpu } from './device.ts';
import { type CardPlan, planGpu, wishedBytes } from './gpu-plan.ts';
import { loadPaced } from './paced-load.ts';
import { readTime } from './read-time.ts';
import { openStoredFile, UnusableFile } from './stored-file.ts';

/** A model in memory. */
export interface LoadedEngine extends AsyncDisposable {
  service: JournaledService;
  info: EngineInfo;
  /** Estimated memory, in bytes. */
  memory: number;
  /** The device that the model runs on. It may be slower than the intended device. */
  device: Device;
}

/** How models are loaded. */
export interface BrowserLoadOptions {
  device: Device;
  assets: WasmAssets;
  /** Returns how many of so many bytes the graphics card has room for. */
  roomOnCard: (wanted: number) => Promise<number>;
  /** The log of the engine. */
  log: Log;
}

/** A plan of a load, whatever it runs on. */
interface LoadPlan extends Pick<WasmEngineOptions, 'contextLength' | 'batchSize' | 'gpuLayers' | 'cache'> {
  /** The device as the model uses it. */
  device: Device;
  /** In bytes. */
  memory: number;
}

/**
 * What a graphics card is taken to have room for after a load failed there, as a share of what was measured: other
 * programs take memory, too, and llama.cpp's own buffers are only estimated.
 */
const SHARES_OF_ROOM = [0.95, 0.65];

/**
 * Loads a model from its stored files: on WebGPU if the device has it, and on WebAssembly otherwise or if WebGPU fails.
 * Failures go to `requestLog`. Throws an `ApiError` that says what is wrong and what helps.
 */
export async function loadBrowserEngine(
  { card, source }: BrowserModel,
  options: BrowserLoadOptions,
  requestLog: Log,
): Promise<LoadedEngine> {
  const device = withMostThreads(options.device, source.threads ?? mostUsefulThreads(source.shape.fileBytes));
  try {
    if (!device.card) return await loadOnWasm(source, device, options);
    const { loaded, why } = await loadOnCard(source, device, device.card, options, requestLog);
    return loaded ?? (await loadOnWasm(source, withoutGpu(device, why), options));
  } catch (error) {
    if (error instanceof NoRoom) {
      throw insufficientMemory(`The model '${card.id}' does not fit the memory: ${error.message}`);
    }
    if (error instanceof ApiError) throw error;
    requestLog.error('the model could not be loaded', toLogFields(error));
    throw loadError(card.id, error);
  }
}

/** No plan fits the memory. The message completes the sentence for users. */
class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

function loadOnWasm(source: BrowserSource, device: Device, options: BrowserLoadOptions): Promise<LoadedEngine> {
  const plan = planContext(source);
  if ('shortage' in plan) throw new NoRoom(plan.shortage);
  const { contextLength, memory, floatCache } = plan;
  return loadAs(source, options, {
    contextLength,
    batchSize: wasmBatch(source.shape.fileBytes, device.threads),
    gpuLayers: 0,
    ...(floatCache && { cache: 'f32' }),
    device,
    memory,
  });
}

/** Loads a model on the graphics card. Returns why if that is impossible, in a sentence that follows "No WebGPU". */
async function loadOnCard(
  source: BrowserSource,
  device: Device,
  { limits, subgroups, streams }: CardTraits,
  options: BrowserLoadOptions,
  requestLog: Log,
): Promise<{ loaded: LoadedEngine | null; why: string }> {
  const room = await options.roomOnCard(wishedBytes(source));
  for (const share of SHARES_OF_ROOM) {
    const plan = planGpu(source, {
      limits,
      free: share * room,
      quantizedCache: subgroups,
      streams,
    });
    if ('shortage' in plan) return { loaded: null, why: `the model does not fit there: ${plan.shortage}` };
    try {
      return { loaded: await loadPlanned(source, device, plan, options), why: '' };
    } catch (error) {
      if (error instanceof UnusableFile || error instanceof ApiError) throw error;
      requestLog.warn('the model could not be loaded on WebGPU', { ...plan.layers, ...toLogFields(error) });
    }
  }
  return { loaded: null, why: 'the model could not be loaded on it.' };
}

function loadPlanned(
  source: BrowserSource,
  device: Device,
  { contextLength, layers, batchSize: most, quantizedCache, memory }: CardPlan,
  options: BrowserLoadOptions,
): Promise<LoadedEngine> {
  const load = (batchSize: number) =>
    loadAs(source, options, {
      contextLength,
      batchSize,
      gpuLayers: layers.onCard,
      ...(quantizedCache && { cache: 'q8_0' }),
      device: withLayers(device, layers),
      memory: memory.card + memory.heap,
    });
  if (source.kind !== 'chat') return load(most);
  return loadPaced(most, load, ({ engine }, tokens) => readTime(engine, tokens));
}

async function loadAs(
  { files, projector, kind, tokens, chatTemplate }: BrowserSource,
  { assets, log }: BrowserLoadOptions,
  { device, memory, ...settings }: LoadPlan,
): Promise<LoadedEngine & { engine: TextEngine }> {
  const engine = await createWasmEngine({
    model: await Promise.all(files.map(openStoredFile)),
    ...(projector && { projector: await openStoredFile(projector) }),
    kind,
    tokens,
    threads: device.threads,
    ...settings,
    assets,
    log,
  });
  const { info } = engine;
  return {
    engine,
    service: createJournaledService(engine, chatTemplate),
    info: settings.gpuLayers > 0 ? { ...info, backend: 'gpu' } : info,
    memory,
    device,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

function loadError(id: string, error: unknown): ApiError {
  if (error instanceof InsufficientMemory) {
    return insufficientMemory(
      `The model '${id}' does not fit the memory. ${error.message} ` +
        'Close other tabs, or take a smaller quantization or a smaller model.',
    );
  }
  const why =
    error instanceof UnusableFile
      ? error.message
      : `Its file is damaged, or of a kind that this Paddock does not know: remove the model and pull it again. (${messageOf(error)})`;
  const message = `The model '${id}' could not be loaded. ${why}`;
  return new ApiError({ ...serverError(message).data, code: 'model_load_failed' });
}
