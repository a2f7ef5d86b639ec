import { WASM_MEMORY_BYTES } from '../../src/contract/engine-info.ts';
import { contextLengths } from '../../src/engine/context-length.ts';
import type { KvType, ModelShape } from '../../src/engine/engine.ts';
import { partSizes, wasmHeapBytes } from '../../src/engine/memory-estimate.ts';
import { bytesBesideGpu, bytesOnGpu, type Offload, planOffload } from '../../src/engine/offload.ts';
import { formatBytes } from '../../src/utils/bytes.ts';
import type { CardLimits } from '../gpu/gpu.ts';
import type { BrowserSource } from '../protocol.ts';

/** The part of a model on which its plan depends. */
export type PlannedModel = Pick<BrowserSource, 'kind' | 'shape' | 'contextLength'>;

/** The graphics card for which a model's load is planned. */
export interface Card {
  limits: CardLimits;
  /** The bytes that it has room for. */
  free: number;
  /** True if llama.cpp's kernels for attention over a quantized cache run there: they need subgroups. */
  quantizedCache: boolean;
  /** True if files stream to the card. Without stack switching (JSPI), WebAssembly's memory holds them as a whole. */
  streams: boolean;
}

/** How a model is loaded on a graphics card. */
export interface CardPlan {
  /** In tokens. */
  contextLength: number;
  /** The layers on the card, and all that the model has; the output layer counts as one. */
  layers: { onCard: number; all: number };
  /** The most tokens of a forward pass. */
  batchSize: number;
  /** True if keys and values have 8 bits in place of half floats. */
  quantizedCache: boolean;
  /** The bytes on the card, and in WebAssembly's memory. */
  memory: { card: number; heap: number };
}

/** The longest context window that is chosen on a card, in tokens. */
const LONGEST_WINDOW = 16_384;
/** The window down to which it is shortened before layers stay on the processor, in tokens. */
const SHORT_WINDOW = 4096;
/** The batch to begin with, in tokens: larger ones read a prompt no faster, and hold up an abort. */
const MOST_BATCH = 512;
export const LEAST_GPU_BATCH = 32;
const FLOAT_BYTES = 4;

/** Returns the bytes that the whole model takes on a card with the longest window. */
export function wishedBytes({ kind, shape, contextLength }: PlannedModel): number {
  const longest = contextLength ?? longestWindow(kind, shape);
  const parts = partsOn(kind, shape, longest, MOST_BATCH, 'f16');
  return bytesOnGpu(parts, { layers: parts.layers, contextLength: longest });
}

/**
 * Plans the load of a model on a graphics card: the longest window with which all layers fit, with half floats in the KV
 * cache or else with 8 bits, and otherwise as many layers as fit with a short one. A window that the model's settings ask
 * for is not shortened. If the card has room for no layer, or WebAssembly none for the rest, `shortage` says why, in a
 * sentence for users.
 */
export function planGpu(
  { kind, shape, contextLength: asked }: PlannedModel,
  card: Card,
): CardPlan | { shortage: string } {
  const batchSize = mostBatch(shape, card.limits);
  const longest = asked ?? longestWindow(kind, shape);
  const shortest = asked ?? Math.min(longest, SHORT_WINDOW);
  const planned = (kvType: KvType) => {
    const parts = partsOn(kind, shape, longest, batchSize, kvType);
    const reach = asked ?? Math.min(longest, windowWithin(shape, card.limits, kvType));
    const facts = { ...parts, free: card.free, longest: reach, shortest: Math.min(reach, shortest) };
    // wllama has no setting that leaves experts alone in the machine's memory.
    return toPlan(planOffload(facts, { cpuExperts: 0 }), parts, kvType);
  };
  const toPlan = (offload: Offload, parts: ReturnType<typeof partsOn>, kvType: KvType): CardPlan => ({
    contextLength: offload.contextLength,
    layers: { onCard: offload.layers, all: parts.layers },
    batchSize,
    quantizedCache: kvType === 'q8_0',
    memory: {
      card: bytesOnGpu(parts, offload),
      heap: wasmHeapBytes(shape, bytesBesideGpu(parts, offload), card.streams),
    },
  });

  const plain = planned('f16');
  const mayQuantize = kind === 'chat' && card.quantizedCache;
  const best = !mayQuantize || holdsAll(plain, longest) ? plain : better(planned('q8_0'), plain);
  return best.layers.onCard > 0 && best.memory.heap <= WASM_MEMORY_BYTES
    ? best
    : { shortage: shortageOf(wishedBytes({ kind, shape, contextLength: shortest }), card.free) };
}

/** Returns what to say of a model that does not fit, from the bytes that it takes and those that the card has. */
function shortageOf(needed: number, free: number): string {
  return (
    `it takes ${formatBytes(needed)}; the graphics card has room for ${formatBytes(free)}, and a browser gives ` +
    `WebAssembly no more than ${formatBytes(WASM_MEMORY_BYTES)}. Take a smaller quantization or a smaller model.`
  );
}

function longestWindow(kind: PlannedModel['kind'], shape: ModelShape): number {
  const trained = shape.trainedContextLength;
  if (kind === 'chat') return Math.min(LONGEST_WINDOW, trained || LONGEST_WINDOW);
  return Math.max(...contextLengths({ backend: 'wasm', kind, trained }));
}

function partsOn(kind: PlannedModel['kind'], shape: ModelShape, contextLength: number, batch: number, kv: KvType) {
  const parts = partSizes(shape, {
    backend: 'gpu',
    kind,
    contextLength,
    slots: 1,
    threads: 1,
    batchSize: batch,
    kvType: kv,
  });
  // llama-server reserves the logits of a whole batch.
  const logits = kind === 'chat' ? FLOAT_BYTES * batch * shape.vocabularySize : 0;
  return { ...parts, compute: parts.compute + logits };
}

/** Halves the batch until a kernel can bind its logits. The output layer would run on the processor otherwise. */
function mostBatch({ vocabularySize }: ModelShape, { maxStorageBufferBindingSize }: CardLimits): number {
  let batch = MOST_BATCH;
  while (batch > LEAST_GPU_BATCH && FLOAT_BYTES * batch * vocabularySize > maxStorageBufferBindingSize) batch /= 2;
  return batch;
}

/** Returns the longest window, in tokens, with which a kernel can bind the keys of a layer. */
function windowWithin(shape: ModelShape, { maxStorageBufferBindingSize }: CardLimits, kvType: KvType): number {
  const keysOfLayer = shape.cachedPerToken / (2 * Math.max(1, shape.layers));
  const bytes = keysOfLayer * (kvType === 'q8_0' ? 34 / 32 : 2);
  return bytes > 0 ? Math.max(SHORT_WINDOW, Math.floor(maxStorageBufferBindingSize / bytes)) : LONGEST_WINDOW;
}

function holdsAll({ contextLength, layers }: CardPlan, longest: number): boolean {
  return contextLength >= longest && layers.onCard === layers.all;
}

/** Returns the plan with more layers on the card, or else with the longer window; the second one if they are alike. */
function better(one: CardPlan, other: CardPlan): CardPlan {
  const gain = one.layers.onCard - other.layers.onCard || one.contextLength - other.contextLength;
  return gain > 0 ? one : other;
}
