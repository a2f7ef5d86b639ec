import type { Log } from '../../../contract/log.ts';
import { formatBytes } from '../../../utils/bytes.ts';
import { sum } from '../../../utils/sum.ts';
import type { EngineOptions } from '../../engine.ts';
import { availableOn, type Gpu, type GpuRuntime } from '../../gpu.ts';
import { InsufficientMemory } from '../../memory-estimate.ts';
import type { WorkerConfig } from '../../node/task.ts';
import {
  expertLayersOf,
  type Offload,
  type OffloadFacts,
  offloadWindows,
  planOffload,
  smallerOffload,
} from '../../offload.ts';
import { loadsMtp, type MtpOption } from './hidden/mtp-support.ts';
import { rearrangesWeights } from './library/kernels.ts';
import { type LlamaDevice, listDevices, openLibrary } from './library/library.ts';
import { type LlamaModel, openModel } from './model.ts';
import { moveWeights } from './move-weights.ts';
import { devicesFor, placementParams } from './placement.ts';

/** A loaded model, with the context window that fits beside it. */
export interface FittedModel {
  model: LlamaModel;
  /** The window to make, in tokens. */
  contextLength: number;
  /** The number of layers whose experts are in the machine's memory; undefined for none. */
  cpuExperts?: number;
}

/**
 * Loads a model on the CPU. Throws a plain error with the reason if there are no libraries or llama.cpp refuses the
 * file.
 */
export async function loadOnCpu(
  options: Pick<EngineOptions, 'files' | 'stockKernels' | 'fileType' | MtpOption>,
  { needed, available }: WorkerConfig['memory'],
  log: Log,
): Promise<LlamaModel> {
  const { files, stockKernels, fileType } = options;
  const library = await openLibrary(false, log, stockKernels);
  const hasMatrixUnit = library.instructionSets.includes('AMX_INT8');
  // Rearranged weights are a copy, which has to fit; mapped files need not.
  const rearranges = needed <= available && rearrangesWeights(library.kernels, fileType, hasMatrixUnit);
  const params = { n_gpu_layers: 0, use_extra_bufts: rearranges, load_mtp: loadsMtp(library, options) };
  const model = await openModel(library, files[0] ?? '', params);
  if (!model) throw new Error(`llama.cpp could not load the model: ${library.takeError()}`);
  // Where memory is short, the system has to be able to drop weights, as it can drop pages of a file.
  const move = needed <= available / 2 ? moveWeights(library.kernels, files) : null;
  if (move) {
    model.own(move);
    log.debug('weights move into huge pages', { bytes: move.bytes });
  }
  return model;
}

/**
 * Loads a model on a GPU, as many layers as fit, and calls `use` with it. If `use` finds too little memory, tries again
 * with a shorter window or fewer layers.
 *
 * @throws a plain error with the reason if there are no libraries or no GPU, `InsufficientMemory` if not one layer fits,
 *   and what `use` throws
 */
export async function loadOnGpu<T>(
  options: EngineOptions,
  memory: WorkerConfig['memory'],
  log: Log,
  use: (loaded: FittedModel) => Promise<T>,
): Promise<T> {
  const { files, gpuRuntime = process.platform === 'darwin' ? 'metal' : 'vulkan' } = options;
  const library = await openLibrary(gpuRuntime, log, options.stockKernels);
  const found = listDevices(library);
  refuseNoDevice(found, gpuRuntime);
  const devices = devicesFor(found, options);
  refuseHopeless(devices, memory);
  const windows = offloadWindows(options);
  const { parts } = memory;
  let offload: Offload | null = firstOffload(options, windows, memory, devices);
  let shortage: unknown;
  while (offload) {
    const { params, keep } = placementParams(
      library.llama,
      offload,
      parts?.tensors?.layers.length ?? MOST_LAYERS,
      options,
    );
    const withMtp = { ...params, load_mtp: loadsMtp(library, options) };
    const model = await openModel(library, files[0] ?? '', withMtp, keep);
    const { contextLength, cpuExperts } = offload;
    if (model) {
      try {
        return await use({ model, contextLength, ...(cpuExperts !== undefined && { cpuExperts }) });
      } catch (error) {
        await model.close();
        if (!(error instanceof InsufficientMemory)) throw error;
        shortage = error;
      }
    } else {
      shortage = new Error(`llama.cpp could not load the model: ${library.takeError()}`);
    }
    const experts = options.cpuExperts === undefined && parts ? expertLayersOf(parts) : 0;
    offload = options.gpuLayers === undefined ? smallerOffload(offload, windows.shortest, experts) : null;
    if (offload) log.debug('too little memory on the GPU, less is tried', { ...offload });
  }
  if (shortage) throw shortage;
  const names = devices.map(({ name }) => name).join(', ');
  throw new Error(`${gpuRuntime}: no layer of the model fits the memory of ${names}`);
}

function firstOffload(
  asked: Pick<EngineOptions, 'gpuLayers' | 'cpuExperts'>,
  windows: Pick<OffloadFacts, 'longest' | 'shortest'>,
  { parts }: WorkerConfig['memory'],
  devices: LlamaDevice[],
): Offload | null {
  const { longest } = windows;
  const { gpuLayers, cpuExperts } = asked;
  if (!parts)
    return { layers: gpuLayers ?? ALL_LAYERS, contextLength: longest, ...(cpuExperts !== undefined && { cpuExperts }) };
  const planned = planOffload({ ...parts, ...windows, free: usableOn(devices) }, asked);
  return planned.layers > 0 || gpuLayers !== undefined ? planned : null;
}

/** llama.cpp takes any number of layers above that of the model for all of them. */
const ALL_LAYERS = 9999;
/** More layers than models have whose sizes are unknown. */
const MOST_LAYERS = 256;

/** Returns the bytes of the devices' memory that models can use. */
function usableOn(devices: LlamaDevice[]): number {
  return availableOn({ memory: totalOf(devices) });
}

function totalOf(devices: LlamaDevice[]): Gpu['memory'] {
  return {
    total: sum(devices.map(({ memory }) => memory.total)),
    free: sum(devices.map(({ memory }) => memory.free)),
  };
}

/**
 * Throws an error with the reason if a GPU's libraries load but there is no device with memory: with Mesa's Vulkan and
 * no usable GPU, everything would run on the CPU under another name.
 */
export function refuseNoDevice(devices: Pick<LlamaDevice, 'name' | 'memory'>[], runtime: GpuRuntime): void {
  if (devices.length === 0) throw new Error('it is installed, but offers no device');
  if (devices.some(({ memory }) => memory.total > 0)) return;
  throw new Error(`${runtime} offers ${devices.map(({ name }) => name).join(', ')}, but no memory on it`);
}

/** Throws `InsufficientMemory` if a model needs more than the GPU's and the machine's memory together. */
export function refuseHopeless(
  devices: Pick<LlamaDevice, 'memory' | 'sharesMemory'>[],
  { needed, available }: Pick<WorkerConfig['memory'], 'needed' | 'available'>,
): void {
  // Memory that the GPU shares with the machine counts once.
  const own = devices.filter(({ sharesMemory }) => !sharesMemory);
  const most = available + sum(own.map(({ memory }) => memory.free));
  if (needed > most) {
    throw new InsufficientMemory(`the model needs ${formatBytes(needed)}, GPU and machine have ${formatBytes(most)}`);
  }
}
