import type { LlamaContext, Token } from './llama.ts';

/** The index at which llama.cpp keeps the logits after one token until the next forward pass. */
export type LogitsPlace = number;

/** The context of node-llama-cpp's addon, a private part of it. Its functions call llama.cpp directly. */
export interface AddonContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, firstAt: number, tokens: Uint32Array, logitsAt: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  setThreads(threads: number): void;
  sampleToken(place: LogitsPlace, sampler: object): Promise<number>;
  sampleToken(
    place: LogitsPlace,
    sampler: object,
    probabilities: false,
    confidence: false,
    logits: [tokens: readonly Token[], max: false, min: false, selected: false, top: number],
    totalWeight: boolean,
  ): Promise<[token: number, probabilities: undefined, confidence: undefined, logits?: number[], totalWeight?: number]>;
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean;
  getMemoryBreakdown(): { cpuRam: number; gpuVram: number };
  disposeSequence(sequence: number): void;
  getSequenceKvCacheMinPosition(sequence: number): number;
  copySequenceStateFromOtherSequence(to: number, from: number): Promise<number>;
  getSequenceKvCacheMaxPosition(sequence: number): number;
  saveSequenceStateToFile(path: string, sequence: number, tokens: Uint32Array): Promise<number>;
  loadSequenceStateFromFile(path: string, sequence: number, mostTokens: number): Promise<Uint32Array>;
}

/** Returns the addon's context in a context of node-llama-cpp. */
export function addonOf(context: LlamaContext): AddonContext {
  return Reflect.get(context, '_ctx') as AddonContext;
}

/**
 * Exchanges the addon's contexts in two contexts of one model. Whoever holds one of the two then drives the other's.
 */
export function swapAddons(one: LlamaContext, other: LlamaContext): void {
  const addon = addonOf(one);
  Reflect.set(one, '_ctx', addonOf(other));
  Reflect.set(other, '_ctx', addon);
}
