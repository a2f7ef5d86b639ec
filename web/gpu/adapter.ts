import type { CardLimits, GpuAdapter, WebGpu } from './gpu.ts';

/** What llama.cpp's kernels find on a graphics card. */
export interface CardTraits {
  limits: CardLimits;
  /** True if threads of a kernel can exchange numbers, as attention over a quantized KV cache needs. */
  subgroups: boolean;
  /** True if files stream to the card. Without stack switching (JSPI), WebAssembly's memory holds them as a whole. */
  streams: boolean;
}

/** What WebGPU is good for. */
export type GpuState = 'none' | 'no adapter' | 'software' | 'no half floats' | 'usable';

/**
 * Returns what llama.cpp's kernels find: the traits of a usable card, or what is lacking. `streams` says if this browser
 * has stack switching.
 */
export async function probeAdapter(
  gpu: WebGpu | undefined,
  streams = 'Suspending' in WebAssembly,
): Promise<CardTraits | Exclude<GpuState, 'usable'>> {
  if (!gpu) return 'none';
  const adapter = await gpu.requestAdapter().catch(() => null);
  if (!adapter) return 'no adapter';
  const state = judgeAdapter(adapter);
  if (state !== 'usable') return state;
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  // The limits themselves can't be sent to another worker.
  const limits = { maxBufferSize, maxStorageBufferBindingSize };
  return { limits, subgroups: adapter.features.has('subgroups'), streams };
}

/**
 * Returns what llama.cpp's WebGPU kernels would find. A software adapter does not count: with lavapipe, Firefox wrote
 * 0.3 tokens/s in place of 262 on WebAssembly.
 */
export function judgeAdapter({
  features,
  info,
  isFallbackAdapter,
}: Pick<GpuAdapter, 'features' | 'info' | 'isFallbackAdapter'>): GpuState {
  if (info?.isFallbackAdapter ?? isFallbackAdapter) return 'software';
  return features.has('shader-f16') ? 'usable' : 'no half floats';
}
