import { MOST_WASM_THREADS } from '../../src/engine/batch-size.ts';
import { type CardTraits, type GpuState, probeAdapter } from '../gpu/adapter.ts';
import { browserGpu } from '../gpu/gpu.ts';
import type { EngineState } from '../protocol.ts';

/** The device that an engine computes on, and the reason why it is not a faster one. */
export type Device = EngineState['device'] & {
  /** The graphics card of `webgpu`. */
  card?: CardTraits;
  /** True if only a part of the model is on the graphics card. */
  partly?: true;
};

/** The facts by which the device is chosen. */
export interface DeviceFacts {
  gpu: CardTraits | Exclude<GpuState, 'usable'>;
  /** True for a page that is cross-origin isolated; only there can threads share memory. */
  isolated: boolean;
  /** Logical cores. */
  cores: number;
}

/**
 * A machine with at most this many logical cores usually has no hyper-threads, so all cores are used; otherwise half of
 * them.
 */
const FEW_CORES = 4;

const GPU_LACKS: Record<Exclude<GpuState, 'usable'>, string> = {
  none: 'this browser does not have it',
  'no adapter': 'it finds no graphics adapter',
  software: 'the graphics adapter computes on the processor, which is slower than WebAssembly',
  'no half floats': 'the graphics adapter lacks half floats (shader-f16)',
};

/** Chooses the device for this page or worker. */
export async function chooseDevice(): Promise<Device> {
  return pickDevice({
    gpu: await probeAdapter(browserGpu()),
    isolated: globalThis.crossOriginIsolated,
    cores: navigator.hardwareConcurrency || 1,
  });
}

/** Returns WebGPU if the adapter can run the kernels, else WebAssembly with as many threads as help. */
export function pickDevice({ gpu, isolated, cores }: DeviceFacts): Device {
  const threads = isolated ? usefulThreads(cores) : 1;
  if (typeof gpu === 'object') {
    return { backend: 'webgpu', threads, reason: 'A graphics adapter with half floats is there.', card: gpu };
  }
  const lacking = `No WebGPU: ${GPU_LACKS[gpu]}.`;
  if (!isolated) {
    return { backend: 'wasm', threads, reason: `${lacking} One thread: the page is not cross-origin isolated.` };
  }
  const counted = threads === 1 ? 'One thread: there is one core.' : `${threads} threads on ${cores} cores.`;
  return { backend: 'wasm', threads, reason: `${lacking} ${counted}` };
}

/** Returns the device without its graphics adapter, which failed. `why` completes the reason. */
export function withoutGpu({ threads }: Device, why: string): Device {
  return { backend: 'wasm', threads, reason: `No WebGPU: ${why}` };
}

/** A graphics card that was lost this often in a row is left alone until another engine has ended a request. */
const MOST_LOSSES = 2;

/** Returns the device after its graphics card was lost so often in a row, by a reset of its driver for example. */
export function afterLosses(device: Device, losses: number): Device {
  return device.card && losses >= MOST_LOSSES ? withoutGpu(device, 'it was lost again and again.') : device;
}

/** Returns the device as the model uses it: `layers` of all its layers are on the graphics card. */
export function withLayers(device: Device, { onCard, all }: { onCard: number; all: number }): Device {
  if (onCard === all) return device;
  return { ...device, partly: true, reason: `${onCard} of ${all} layers of the model fit the graphics card.` };
}

/** Returns the device with at most `most` threads, the limit of a model. */
export function withMostThreads(device: Device, most = device.threads): Device {
  if (most >= device.threads) return device;
  return { ...device, threads: most, reason: `${device.reason} This model uses ${most} of them.` };
}

function usefulThreads(cores: number): number {
  return Math.min(MOST_WASM_THREADS, Math.max(Math.min(cores, FEW_CORES), Math.floor(cores / 2)));
}
