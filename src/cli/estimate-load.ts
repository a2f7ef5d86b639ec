import type { BackendName } from '../contract/engine-info.ts';
import type { ModelSource } from '../engine/engine.ts';
import type { Gpu } from '../engine/gpu.ts';
import { bytesReadPerToken, estimateMemory, type MemoryEstimate } from '../engine/memory-estimate.ts';
import { memoryPlans } from '../engine/memory-plans.ts';
import { bytesOnGpu, type Offload } from '../engine/offload.ts';
import { roomIn } from '../pool/load/find-room.ts';
import { planBackends } from '../pool/load/load-model.ts';
import { createMemoryGauge } from '../pool/load/memory-gauge.ts';
import { bytesToPlanWith, partsFor, planOnGpu, settingsOn, usableOn } from '../pool/load/plan-gpu.ts';
import { type AskedLoad, planLoad } from '../pool/load/plan-load.ts';
import { type PlacementConfig, placementOf } from '../serve/config/placement.ts';
import type { Config } from '../serve/config/settings.ts';
import { formatBytes } from '../utils/bytes.ts';

/**
 * The estimated memory of a model without a GPU, in bytes, with the slots and the context length (in tokens) that the
 * estimate assumes.
 */
export interface LoadEstimate extends MemoryEstimate {
  backend: BackendName;
  /** The reasons why the CPU is passed over, if it is. */
  passedOver: string[];
  slots: number;
  contextLength: number;
  /** The bytes of weights that each token reads. */
  readPerToken: number;
  /** True if not all experts fit, so that some are read from the file. */
  fromFile: boolean;
  /** The reason why it can't be loaded now; null if it can. */
  shortage: string | null;
}

/** The settings on which an estimate depends. */
type LoadConfig = Pick<Config, 'ctxLen' | 'slots' | 'threads' | 'batch'> &
  Partial<PlacementConfig & Pick<Config, 'kvType'>>;

/** Estimates the memory of a model with its configuration, on a machine with this many free bytes. */
export function estimateLoad(
  source: ModelSource,
  config: LoadConfig,
  available = createMemoryGauge()().available,
): LoadEstimate {
  const { shape } = source;
  const { backends, reasons } = planBackends('cpu', source);
  const [backend = 'cpu'] = backends;
  const { sizes, windows } = planLoad(source, backend, askedLoad(source, config), available);
  const [longest = shape.trainedContextLength] = windows.lengths;
  const room = roomIn(shape, memoryPlans(sizes, windows.lengths), available);
  const isLacking = 'shortage' in room;
  const plan = isLacking ? { ...sizes, contextLength: longest } : room.plan;
  return {
    ...estimateMemory(shape, plan),
    backend,
    passedOver: reasons,
    slots: sizes.slots * sizes.threads,
    contextLength: plan.contextLength,
    readPerToken: bytesReadPerToken(shape),
    fromFile: !isLacking && room.fromFile,
    shortage: isLacking ? room.shortage : null,
  };
}

/** What would go to a GPU, in bytes, with the slots that the estimate assumes. */
export interface GpuEstimate extends Offload {
  slots: number;
  /** The layers of the model, the output layer included. */
  allLayers: number;
  onGpu: number;
  /** The bytes that stay in the machine's memory. */
  beside: number;
}

/** Estimates which part of a model would go to a GPU; null if the GPU could not take a single layer. */
export function estimateGpuLoad(
  source: ModelSource,
  config: LoadConfig,
  gpu: Gpu,
  available = createMemoryGauge()().available,
): GpuEstimate | null {
  const { shape, loading: _, ...files } = source;
  const asked = askedLoad(source, config);
  const free = usableOn(gpu, available);
  const planned = planLoad(source, 'gpu', asked, bytesToPlanWith(shape, gpu, free), !gpu.sharesMemory);
  const { sizes, windows, batch, chosen } = planned;
  const options = { ...asked, ...files, ...batch, slots: chosen.slots };
  const parts = partsFor(shape, { ...sizes, contextLength: windows.lengths[0] ?? 0 }, gpu);
  const { offload, besideBytes } = planOnGpu(parts, free, {
    ...options,
    ...settingsOn(gpu, windows.lengths, options.contextLength),
  });
  if (offload.layers === 0) return null;
  const onGpu = bytesOnGpu(parts, offload);
  return { ...offload, slots: chosen.slots, allLayers: parts.layers, onGpu, beside: besideBytes };
}

/** Describes the part of a model on a GPU in words. */
export function describeGpuLoad(estimate: GpuEstimate): string {
  const { layers, allLayers, cpuExperts = 0, slots, contextLength, onGpu, beside } = estimate;
  const where = layers === allLayers ? `all ${layers} layers` : `${layers} of ${allLayers} layers`;
  const withExperts = Math.min(cpuExperts, allLayers - 1);
  const experts = cpuExperts === 0 ? '' : `, without the experts of ${withExperts} layers`;
  const windows = `${slots} slots of up to ${contextLength} tokens`;
  return `${where}${experts}: about ${formatBytes(onGpu)} on the GPU and ${formatBytes(beside)} beside it with ${windows}`;
}

/** Returns the load settings of a model: those of its model.json, else those of the configuration. */
function askedLoad({ loading }: ModelSource, config: LoadConfig): AskedLoad {
  return {
    contextLength: config.ctxLen ?? null,
    slots: config.slots ?? null,
    threads: config.threads ?? null,
    batchSize: config.batch ?? null,
    ...placementOf(config),
    ...loading,
  };
}
