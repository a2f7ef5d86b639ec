import { MOST_WASM_THREADS } from '../../src/engine/batch-size.ts';
import type { EngineState } from '../protocol.ts';

/** The device that an engine computes on, and the reason why it is not a faster one. */
export type Device = EngineState['device'];

/** The facts by which the device is chosen. */
export interface DeviceFacts {
  gpu: 'none' | 'no adapter' | 'software' | 'no half floats' | 'usable';
  /** True for a page that is cross-origin isolated; only there can threads share memory. */
  isolated: boolean;
  /** Logical cores. */
  cores: number;
}

/** The used part of WebGPU, whose types TypeScript does not have yet. */
interface Gpu {
  requestAdapter(): Promise<GpuAdapter | null>;
}

/** The used part of a graphics adapter. Older browsers have `isFallbackAdapter` at the adapter itself. */
export interface GpuAdapter {
  features: { has(name: string): boolean };
  info?: { isFallbackAdapter?: boolean };
  isFallbackAdapter?: boolean;
}

/**
 * A machine with at most this many logical cores usually has no hyper-threads, so all cores are used; otherwise half of
 * them.
 */
const FEW_CORES = 4;

const GPU_LACKS: Record<Exclude<DeviceFacts['gpu'], 'usable'>, string> = {
  none: 'this browser does not have it',
  'no adapter': 'it finds no graphics adapter',
  software: 'the graphics adapter computes on the processor, which is slower than WebAssembly',
  'no half floats': 'the graphics adapter lacks half floats (shader-f16)',
};

/** Chooses the device for this page or worker. */
export async function chooseDevice(): Promise<Device> {
  return pickDevice({
    gpu: await probeGpu('gpu' in navigator ? (navigator.gpu as Gpu) : undefined),
    isolated: globalThis.crossOriginIsolated,
    cores: navigator.hardwareConcurrency || 1,
  });
}

/** Returns WebGPU if the adapter can run the kernels, else WebAssembly with as many threads as help. */
export function pickDevice({ gpu, isolated, cores }: DeviceFacts): Device {
  const threads = isolated ? usefulThreads(cores) : 1;
  if (gpu === 'usable') return { backend: 'webgpu', threads, reason: 'A graphics adapter with half floats is there.' };
  const lacking = `No WebGPU: ${GPU_LACKS[gpu]}.`;
  if (!isolated) {
    return { backend: 'wasm', threads, reason: `${lacking} One thread: the page is not cross-origin isolated.` };
  }
  const counted = threads === 1 ? 'One thread: there is one core.' : `${threads} threads on ${cores} cores.`;
  return { backend: 'wasm', threads, reason: `${lacking} ${counted}` };
}

/** Returns the device without its graphics adapter, which failed. `why` completes the reason. */
export function withoutGpu(device: Device, why: string): Device {
  return { ...device, backend: 'wasm', reason: `No WebGPU: ${why}` };
}

/** Returns the device with at most `most` threads, the limit of a model. */
export function withMostThreads(device: Device, most = device.threads): Device {
  if (most >= device.threads) return device;
  return { ...device, threads: most, reason: `${device.reason} This model uses ${most} of them.` };
}

function usefulThreads(cores: number): number {
  return Math.min(MOST_WASM_THREADS, Math.max(Math.min(cores, FEW_CORES), Math.floor(cores / 2)));
}

async function probeGpu(gpu: Gpu | undefined): Promise<DeviceFacts['gpu']> {
  if (!gpu) return 'none';
  const adapter = await gpu.requestAdapter().catch(() => null);
  return adapter ? judgeAdapter(adapter) : 'no adapter';
}

/**
 * Returns what llama.cpp's WebGPU kernels would find. A software adapter does not count: with lavapipe, Firefox wrote
 * 0.3 tokens/s in place of 262 on WebAssembly.
 */
export function judgeAdapter({ features, info, isFallbackAdapter }: GpuAdapter): DeviceFacts['gpu'] {
  if (info?.isFallbackAdapter ?? isFallbackAdapter) return 'software';
  return features.has('shader-f16') ? 'usable' : 'no half floats';
}
