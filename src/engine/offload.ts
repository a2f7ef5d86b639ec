import type { TensorBytes } from '../gguf/tensor-bytes.ts';
import { sum } from '../utils/sum.ts';
import { defaultContextLength } from './context-length.ts';
import type { EngineOptions } from './engine.ts';
import type { PartSizes } from './memory-estimate.ts';

/** The figures from which the part of a model that goes to a GPU is chosen. */
export interface OffloadFacts extends PartSizes {
  /** The memory of the GPU that may be used, in bytes. */
  free: number;
  /** The context window to take if it fits, in tokens. */
  longest: number;
  /** The window down to which it is shortened before layers stay on the CPU, in tokens. */
  shortest: number;
}

/** A window is shortened down to this many tokens before layers stay on the CPU. */
const SHORT_WINDOW = 4096;

/** Returns the context windows to choose from, in tokens: a configured one is the only one. */
export function offloadWindows({
  kind,
  contextLength,
  longestContext,
}: Pick<EngineOptions, 'kind' | 'contextLength' | 'longestContext'>): Pick<OffloadFacts, 'longest' | 'shortest'> {
  if (contextLength !== null) return { longest: contextLength, shortest: contextLength };
  const longest = longestContext ?? defaultContextLength({ backend: 'gpu', kind, trained: 0 });
  return { longest, shortest: Math.min(longest, SHORT_WINDOW) };
}

/** The part of a model that goes to a GPU. */
export interface Offload {
  /** The number of layers on it, the output layer included. llama.cpp takes the last ones. */
  layers: number;
  /** In tokens. */
  contextLength: number;
  /** The number of layers, from the first on, whose experts stay in the machine's memory. By default none. */
  cpuExperts?: number;
}

/** What the configuration says about the part on a GPU. Each undefined number is planned. */
export type AskedOffload = Pick<EngineOptions, 'gpuLayers' | 'cpuExperts'>;

/**
 * The share of a GPU's memory that the layers without experts and the caches may take
 * before the window is shortened.
 */
const WITHOUT_EXPERTS_SHARE = 0.5;

/**
 * Chooses the longest window with which all layers fit the GPU: half of the longest, a quarter and so on. If they do
 * not fit with a short window either, as many experts of a mixture of experts stay in the machine's memory as have to:
 * each token reads only a few of them. If that is not enough, takes as many layers as fit. A configured number of layers
 * is taken with the longest window.
 */
export function planOffload(facts: OffloadFacts, asked: AskedOffload = {}): Offload {
  const { free, longest, shortest } = facts;
  const isFixed = asked.gpuLayers !== undefined;
  const layers = Math.min(facts.layers, asked.gpuLayers ?? facts.layers);
  const windows = isFixed ? [longest] : halvings(longest, shortest);
  const least = windows.at(-1) ?? shortest;
  const fits = (offload: Offload) => bytesOnGpu(facts, offload) <= free;
  const { cpuExperts } = asked;

  const whole = windows.map((contextLength) => offloadOf(layers, contextLength, cpuExperts)).find(fits);
  if (whole) return whole;
  const experts = cpuExperts ?? expertLayersOf(facts);
  if (cpuExperts === undefined && experts > 0) {
    const bare = (contextLength: number) => bytesOnGpu(facts, offloadOf(layers, contextLength, experts));
    const contextLength = windows.find((length) => bare(length) <= WITHOUT_EXPERTS_SHARE * free) ?? least;
    const some = Array.from({ length: experts }, (_, index) => offloadOf(layers, contextLength, index + 1)).find(fits);
    if (some) return some;
  }
  return isFixed ? offloadOf(layers, least, experts) : mostLayers(facts, offloadOf(layers, least, experts));
}

function halvings(longest: number, shortest: number): number[] {
  const windows: number[] = [];
  for (let length = longest; length >= shortest; length = Math.floor(length / 2)) windows.push(length);
  return windows;
}

function offloadOf(layers: number, contextLength: number, cpuExperts = 0): Offload {
  return cpuExperts > 0 ? { layers, contextLength, cpuExperts } : { layers, contextLength };
}

/** Takes as many layers as fit with this window and these experts. Layers of unknown sizes count as equally large. */
function mostLayers(facts: OffloadFacts, offload: Offload): Offload {
  const { free, compute, weights, cachePerToken, tensors } = facts;
  if (!tensors) {
    const share = Math.max(0, free - compute) / (weights + cachePerToken * offload.contextLength);
    return { ...offload, layers: Math.min(offload.layers, Math.floor(facts.layers * share)) };
  }
  let { layers } = offload;
  while (layers > 0 && bytesOnGpu(facts, { ...offload, layers }) > free) layers -= 1;
  return { ...offload, layers };
}

/** Returns the number of layers up to the last one with experts; 0 for a model without them. */
export function expertLayersOf({ tensors }: Pick<PartSizes, 'tensors'>): number {
  return (tensors?.layers.findLastIndex(({ experts }) => experts > 0) ?? -1) + 1;
}

/** Returns the bytes of an offload on the GPU: its weights, its part of the caches and the intermediate results. */
export function bytesOnGpu(parts: PartSizes, { layers, contextLength, cpuExperts = 0 }: Offload): number {
  const { weights, compute, cachePerToken, tensors, besides = 0 } = parts;
  const cache = cachePerToken * contextLength;
  if (!tensors) return Math.min(1, layers / parts.layers) * (weights + cache) + compute;
  if (layers === 0) return compute;
  const first = Math.max(0, tensors.layers.length - (layers - 1));
  const inLayers = tensors.layers.map(({ experts, rest }, index) =>
    index < first ? 0 : rest + (index < cpuExperts ? 0 : experts),
  );
  const share = (tensors.layers.length - first) / Math.max(1, tensors.layers.length);
  const output = (tensors.output || tensors.embedding) + tensors.others;
  return sum(inLayers) + output + besides + share * cache + compute + copiedBytes(tensors, first, cpuExperts);
}

/** A layer's experts are three tensors of one size, and so are most of its other bytes in a model without experts. */
const TENSORS_OF_LAYER = 3;

/**
 * Returns the bytes of the largest tensor that is not on the GPU: for long prompts, llama.cpp copies one after the other to
 * the GPU and computes there.
 */
function copiedBytes({ layers }: TensorBytes, first: number, cpuExperts: number): number {
  const left = layers.map(({ experts, rest }, index) =>
    index < first ? Math.max(rest, experts) : index < cpuExperts ? experts : 0,
  );
  return Math.max(0, ...left) / TENSORS_OF_LAYER;
}

/** Returns the bytes of weights and caches that stay in the machine's own memory. */
export function bytesBesideGpu(parts: PartSizes, offload: Offload): number {
  const { layers, weights, cachePerToken, tensors, besides = 0 } = parts;
  const { contextLength } = offload;
  if (!tensors) {
    const share = Math.max(0, layers - offload.layers) / layers;
    return Math.ceil(share * (weights + cachePerToken * contextLength));
  }
  const first = Math.max(0, tensors.layers.length - Math.max(0, offload.layers - 1));
  const inLayers = tensors.layers.map(({ experts, rest }, index) =>
    index < first ? rest + experts : index < (offload.cpuExperts ?? 0) ? experts : 0,
  );
  const share = first / Math.max(1, tensors.layers.length);
  const alone = offload.layers === 0 ? besides + tensors.output : 0;
  return Math.ceil(sum(inLayers) + tensors.embedding + alone + share * cachePerToken * contextLength);
}

/** The share of the layers that is tried next after llama.cpp found too little memory for an offload. */
const NEXT_SHARE = 0.85;

/**
 * Returns what to try after an offload that did not fit; null if that was the least.
 *
 * @param shortest the shortest window to try
 * @param expertLayers the number of layers whose experts may stay in the machine's memory
 */
export function smallerOffload(offload: Offload, shortest: number, expertLayers = 0): Offload | null {
  const { layers, contextLength, cpuExperts = 0 } = offload;
  if (contextLength > shortest) return { ...offload, contextLength: Math.floor(contextLength / 2) };
  if (cpuExperts < expertLayers) {
    const more = Math.ceil((1 - NEXT_SHARE) * expertLayers);
    return { ...offload, cpuExperts: Math.min(expertLayers, cpuExperts + more) };
  }
  const fewer = Math.floor(layers * NEXT_SHARE);
  return fewer > 0 ? { ...offload, layers: fewer } : null;
}
