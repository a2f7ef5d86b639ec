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
  layers: number;
  /** In tokens. */
  contextLength: number;
}

/**
 * Chooses the longest window with which all layers fit the GPU: half of the longest, a quarter and so on. If they do
 * not fit with a short window either, takes as many layers as fit with it. Layers count as equally large.
 */
export function planOffload(facts: OffloadFacts): Offload {
  const { free, layers, weights, compute, cachePerToken, longest, shortest } = facts;
  const bytesWith = (contextLength: number) => weights + cachePerToken * contextLength;
  for (let contextLength = longest; contextLength >= shortest; contextLength = Math.floor(contextLength / 2)) {
    if (bytesWith(contextLength) + compute <= free) return { layers, contextLength };
  }
  const share = Math.max(0, free - compute) / bytesWith(shortest);
  return { layers: Math.min(layers, Math.floor(layers * share)), contextLength: shortest };
}

/** Returns the bytes of weights and caches that stay in the machine's own memory. */
export function bytesBesideGpu(
  { layers, weights, cachePerToken }: PartSizes,
  { layers: offloaded, contextLength }: Offload,
): number {
  const share = Math.max(0, layers - offloaded) / layers;
  return Math.ceil(share * (weights + cachePerToken * contextLength));
}

/** The share of the layers that is tried next after llama.cpp found too little memory for an offload. */
const NEXT_SHARE = 0.85;

/** Returns what to try after an offload that did not fit; null if that was the least. */
export function smallerOffload({ layers, contextLength }: Offload, shortest: number): Offload | null {
  if (contextLength > shortest) return { layers, contextLength: Math.floor(contextLength / 2) };
  const fewer = Math.floor(layers * NEXT_SHARE);
  return fewer > 0 ? { layers: fewer, contextLength } : null;
}
