import type { EngineInfo } from '../../src/contract/engine-info.ts';
import { ApiError, insufficientMemory, serverError } from '../../src/contract/errors.ts';
import { type Log, toLogFields } from '../../src/contract/log.ts';
import { wasmBatch } from '../../src/engine/batch-size.ts';
import { createJournaledService, type JournaledService } from '../../src/engine/chat-service.ts';
import type { TextEngine } from '../../src/engine/engine.ts';
import { InsufficientMemory } from '../../src/engine/memory-estimate.ts';
import { createWasmEngine, type WasmAssets } from '../../src/engine/wasm/engine.ts';
import { mostUsefulThreads } from '../../src/engine/wasm/threads.ts';
import type { BrowserModel } from '../protocol.ts';
import { type ContextPlan, planContext } from './context-plan.ts';
import { type Device, withMostThreads, withoutGpu } from './device.ts';
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

/** llama.cpp offloads every layer if the number is larger than the number of layers. */
const ALL_LAYERS = 99_999;

/** The batch on WebGPU, in tokens. A GPU computes many tokens in the time of one. */
const WEBGPU_BATCH = 32;

/** How models are loaded. */
export interface BrowserLoadOptions {
  device: Device;
  assets: WasmAssets;
  /** The log of the engine. */
  log: Log;
}

/**
 * Loads a model from its stored files: on WebGPU if the device has it, and on WebAssembly otherwise or if WebGPU fails.
 * Failures go to `requestLog`. Throws an `ApiError` that says what is wrong and what helps.
 */
export async function loadBrowserEngine(
  { card, source }: BrowserModel,
  { device, assets, log }: BrowserLoadOptions,
  requestLog: Log,
): Promise<LoadedEngine> {
  const load = async (on: Device): Promise<LoadedEngine> => {
    const { kind, tokens, chatTemplate, projector } = source;
    const plan = planContext(source, on.backend);
    if ('shortage' in plan)
      throw insufficientMemory(`The model '${card.id}' does not fit the memory: ${plan.shortage}`);
    const engine = await createWasmEngine({
      model: await Promise.all(source.files.map(openStoredFile)),
      ...(projector && { projector: await openStoredFile(projector) }),
      kind,
      tokens,
      contextLength: plan.contextLength,
      threads: on.threads,
      ...settingsOn(on, plan, source.shape.fileBytes),
      assets,
      log,
    });
    return describeEngine(engine, createJournaledService(engine, chatTemplate), on, plan);
  };
  try {
    const best = withMostThreads(device, source.threads ?? mostUsefulThreads(source.shape.fileBytes));
    return await load(best).catch((error: unknown) => {
      if (best.backend !== 'webgpu' || error instanceof UnusableFile || error instanceof ApiError) throw error;
      requestLog.warn('the model could not be loaded on WebGPU', toLogFields(error));
      return load(withoutGpu(best, 'the model could not be loaded on it.'));
    });
  } catch (error) {
    if (error instanceof ApiError) throw error;
    requestLog.error('the model could not be loaded', toLogFields(error));
    throw loadError(card.id, error);
  }
}

/** The settings that differ between WebGPU and WebAssembly. */
function settingsOn({ backend, threads }: Device, { floatCache }: ContextPlan, fileBytes: number) {
  if (backend === 'webgpu') return { gpuLayers: ALL_LAYERS, batchSize: WEBGPU_BATCH };
  return { gpuLayers: 0, batchSize: wasmBatch(fileBytes, threads), floatCache };
}

function describeEngine(
  engine: TextEngine,
  service: JournaledService,
  device: Device,
  { memory }: ContextPlan,
): LoadedEngine {
  const { info } = engine;
  return {
    service,
    info: device.backend === 'webgpu' ? { ...info, backend: 'gpu' } : info,
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
