import type { LlamaContext, Token } from './llama.ts';

/** Where the logits after one token lie until the next forward pass. */
export type Place = number;

/** The private parts of node-llama-cpp that drive llama.cpp: its addon's context. */
export interface AddonContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, firstAt: number, tokens: Uint32Array, logitsAt: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  setThreads(threads: number): void;
  sampleToken(place: Place, sampler: object): Promise<number>;
  sampleToken(
    place: Place,
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

/** llama.cpp's context of a context of node-llama-cpp. */
export function addonOf(context: LlamaContext): AddonContext {
  return Reflect.get(context, '_ctx') as AddonContext;
}

/** Exchanges what two contexts of one model drive. Whoever holds one of them drives the other's from now on. */
export function swapAddons(one: LlamaContext, other: LlamaContext): void {
  const addon = addonOf(one);
  Reflect.set(one, '_ctx', addonOf(other));
  Reflect.set(other, '_ctx', addon);
}
