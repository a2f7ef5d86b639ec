import type { EngineState } from '../protocol.ts';

/** What an engine is to compute on, and why on nothing better. */
export type Device = EngineState['device'];

/** What decides on the device. */
export interface DeviceFacts {
  gpu: 'none' | 'no adapter' | 'no half floats' | 'usable';
  /** Whether the page is cross-origin isolated; without it no memory is shared between threads. */
  isolated: boolean;
  /** Logical cores. */
  cores: number;
}

/** The least that WebGPU's own types would say; they are in no library of TypeScript yet. */
interface Gpu {
  requestAdapter(): Promise<{ features: { has(name: string): boolean } } | null>;
}

/** Beyond these, memory is the limit and more threads only wait for each other. */
const MOST_THREADS = 8;
/** Machines with no more cores than these seldom share one core between two. */
const FEW_CORES = 4;

const GPU_LACKS: Record<Exclude<DeviceFacts['gpu'], 'usable'>, string> = {
  none: 'this browser does not have it',
  'no adapter': 'it finds no graphics adapter',
  'no half floats': 'the graphics adapter lacks half floats (shader-f16)',
};

/** Looks at this page's or worker's surroundings and chooses. */
export async function chooseDevice(): Promise<Device> {
  return pickDevice({
    gpu: await probeGpu('gpu' in navigator ? (navigator.gpu as Gpu) : undefined),
    isolated: globalThis.crossOriginIsolated,
    cores: navigator.hardwareConcurrency || 1,
  });
}

/** WebGPU where an adapter takes the kernels, else as many threads as help, else one. */
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

/** Where the adapter let us down: the same without it. */
export function withoutGpu(device: Device, why: string): Device {
  return { ...device, backend: 'wasm', reason: `No WebGPU: ${why}` };
}

function usefulThreads(cores: number): number {
  return Math.min(MOST_THREADS, Math.max(Math.min(cores, FEW_CORES), Math.floor(cores / 2)));
}

async function probeGpu(gpu: Gpu | undefined): Promise<DeviceFacts['gpu']> {
  if (!gpu) return 'none';
  const adapter = await gpu.requestAdapter().catch(() => null);
  if (!adapter) return 'no adapter';
  return adapter.features.has('shader-f16') ? 'usable' : 'no half floats';
}
