import type { EngineOptions, ModelShape } from '../../engine/engine.ts';
import { availableOn, type Gpu } from '../../engine/gpu.ts';
import { type MemoryPlan, type PartSizes, partSizes } from '../../engine/memory-estimate.ts';
import { bytesBesideGpu, type Offload, offloadWindows, planOffload } from '../../engine/offload.ts';
import { sum } from '../../utils/sum.ts';

/** The bytes of a GPU that a model may use, given those that are free in the machine. */
export function usableOn(gpu: Gpu, machine: number): number {
  // If CPU and GPU share memory, the driver does not count the memory of other programs.
  return gpu.sharesMemory ? Math.min(availableOn(gpu), machine) : availableOn(gpu);
}

/**
 * Returns the bytes by which the slots and the context window of a model are planned. If a mixture of experts does not
 * fit the GPU, its experts do not count: they may stay in the machine's memory.
 */
export function bytesToPlanWith(shape: ModelShape, gpu: Gpu | null, usable: number): number {
  const experts = gpu?.sharesMemory !== false ? 0 : sum((shape.tensors?.layers ?? []).map((layer) => layer.experts));
  return shape.fileBytes <= usable ? usable : usable + experts;
}

/** Returns the sizes from which an engine on a GPU chooses what goes there. */
export function partsFor(shape: ModelShape, plan: MemoryPlan, gpu: Gpu): PartSizes {
  const { tensors, besides, ...parts } = partSizes(shape, plan);
  // In one memory, it makes no difference where experts lie.
  return gpu.sharesMemory || !tensors ? parts : { ...parts, tensors, ...(besides !== undefined && { besides }) };
}

/** Returns the settings that depend on the device. On a GPU, the engine finds a context window that fits. */
export function settingsOn(gpu: Gpu | null, [longestContext]: number[], contextLength: number | null) {
  if (!gpu) return { contextLength };
  return { gpuRuntime: gpu.runtime, ...(longestContext !== undefined && { longestContext }) };
}

/** What is planned to go to a GPU, and the bytes that stay in the machine's own memory. */
export interface GpuPlan {
  offload: Offload;
  /** True if the plan puts nothing on the GPU: the load fails there. */
  isHopeless: boolean;
  besideBytes: number;
}

/** Plans which part of a model goes to a GPU with so many free bytes. */
export function planOnGpu(parts: PartSizes, free: number, options: EngineOptions): GpuPlan {
  const offload = planOffload({ ...parts, ...offloadWindows(options), free }, options);
  return { offload, isHopeless: offload.layers === 0, besideBytes: bytesBesideGpu(parts, offload) };
}

/**
 * Returns the bytes of a model on a GPU that are planned to stay in the machine's own memory: its layers and experts may
 * go to the GPU in part. If GPU and machine share their memory, the driver counts all of it.
 */
export function plannedBesideGpu(gpu: Gpu, free: number, parts: PartSizes, options: EngineOptions): number {
  if (gpu.sharesMemory) return 0;
  const { isHopeless, besideBytes } = planOnGpu(parts, free, options);
  return isHopeless && options.gpuLayers === undefined ? 0 : besideBytes;
}
