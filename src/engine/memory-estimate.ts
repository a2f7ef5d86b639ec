import type { BackendName } from '../contract/engine-info.ts';
import type { TensorBytes } from '../gguf/tensor-bytes.ts';
import { sum } from '../utils/sum.ts';
import { MOST_LOGITS, MOST_WASM_THREADS, wasmBatch } from './batch-size.ts';
import { roundContext } from './context-length.ts';
import type { KvType, ModelKind, ModelShape } from './engine.ts';

/** The settings, besides the model's shape, on which its memory depends. */
export interface MemoryPlan {
  backend: BackendName;
  kind: ModelKind;
  /** The context window of one slot, in tokens. */
  contextLength: number;
  /** The slots of one thread. */
  slots: number;
  /** The number of worker threads. Each has its own copy of the model. */
  threads: number;
  /** The most tokens that are computed at once. */
  batchSize: number;
  /** The format of the KV cache; by default f16. WebAssembly ignores it. */
  kvType?: KvType | undefined;
  /** True if WebAssembly keeps keys and values as 32-bit floats, in place of 16 bits. */
  floatCache?: boolean;
}

/** The memory of a loaded model in bytes, all its threads together. */
export interface MemoryEstimate {
  /** Weights and vocabulary. */
  weights: number;
  /** Keys and values of the tokens in all slots. */
  cache: number;
  /** Intermediate results, and the runtime itself. */
  compute: number;
  total: number;
}

/** The sizes of a model's parts, from which the part that goes to a GPU is chosen, in bytes. */
export interface PartSizes {
  /** The number of layers, the output layer included. */
  layers: number;
  /** The weights, and the part of the caches that does not grow with the window. */
  weights: number;
  /** Intermediate results. */
  compute: number;
  /** The keys and values of one token in every slot. */
  cachePerToken: number;
  /** The weights by the parts that can be put on different devices. Without them, layers count as equally large. */
  tensors?: TensorBytes;
  /**
   * The part of `weights` that is neither a tensor of the model nor its vocabulary: caches of one size, the draft model,
   * the projector and the LoRA adapters.
   */
  besides?: number;
}

/** Thrown if there is less memory than the model needs. The message is for the log. */
export class InsufficientMemory extends Error {
  override readonly name = 'InsufficientMemory';
}

const MIB = 2 ** 20;
/** The bytes of 32 numbers in each format: quantized ones come in blocks, with a scale for each. */
const BYTES_OF_32: Record<KvType, number> = {
  f16: 64,
  bf16: 64,
  q8_0: 34,
  q5_1: 24,
  q5_0: 22,
  q4_1: 20,
  q4_0: 18,
  iq4_nl: 18,
};
const F32_BYTES = 4;
/**
 * Bytes of llama.cpp's tables by token and by text, and of the text in JavaScript. Measured with vocabularies of 20k
 * and 152k tokens.
 */
const BYTES_PER_VOCABULARY_ENTRY = 600;
/** The measured size of a thread with its runtime and a tiny model. On WebAssembly this includes the compiled code. */
const RUNTIME_BYTES = { gpu: 48 * MIB, cpu: 48 * MIB, wasm: 420 * MIB };
/** The measured size of the additional threads that WebAssembly needs for recordings, all together. */
const AUDIO_BYTES = 170 * MIB;
/** The numbers of an embedding for each attention head. Heads of most models have 64 or 128. */
const HEAD_LENGTH = 64;
/**
 * The most tokens of one sequence in a forward pass after which the native engine wants logits: a token and its guess, or
 * tokens of a prompt whose log probabilities are asked for.
 */
export const MOST_OUTPUTS = 16;

/**
 * The most tokens in one forward pass of an EAGLE-3 draft model. llama.cpp computes the logits of all of them: with 152,000 tokens in the
 * vocabulary, each takes 0.6 MB in the graph and as much among the outputs.
 */
export const EAGLE3_BATCH = 64;

/** The earlier recurrent states of all slots together take at most this share of the bytes of the weights. */
const STATES_SHARE = 1 / 8;

/**
 * Returns how many earlier recurrent states the native engine keeps of each slot, so that as many guessed tokens can be taken
 * back: as many as the longest guess needs, if they are small beside the weights.
 */
export function earlierStates({ stateNumbers = 0, keepsStates, fileBytes }: ModelShape, slots: number): number {
  if (!keepsStates || stateNumbers === 0) return 0;
  const bytes = F32_BYTES * stateNumbers * slots;
  return Math.min(MOST_OUTPUTS - 1, Math.floor((STATES_SHARE * fileBytes) / bytes));
}

/** Returns the most tokens of each sequence in a forward pass after which the native engine wants logits. */
export function outputsOf(batchSize: number, sequences: number): number {
  return Math.min(MOST_OUTPUTS, Math.floor(Math.min(batchSize, MOST_LOGITS) / sequences));
}

/**
 * Estimates the memory that a model takes after its first use. It follows llama.cpp's own buffers:
 *
 * - weights: the files, once. The CPU build maps them into memory; if it copies them into a layout that suits the CPU,
 *   the system can drop the mapped pages. WebAssembly copies the files, and a projector twice.
 * - cache: keys and values, by default as half floats, for each token of each slot (`llama_kv_cache`). Layers with a
 *   sliding window have them for as many tokens as the window and a batch (`llama_kv_cache_iswa`), and recurrent layers
 *   have a state of one size instead (`llama_memory_recurrent`), and earlier states of it. With `floatCache` they are floats.
 *   The MTP layer of a model has keys and values in a context of its own, whose compute buffers are like those of the model. So has
 *   an EAGLE-3 draft model.
 * - compute: the rows of one layer as floats, for each token of a batch. With flash attention these are about 6 times
 *   the embedding length and 3 times the feed-forward length. To this come the logits: WebAssembly holds them for a
 *   whole batch, a GPU for up to `MOST_OUTPUTS` tokens per slot; the CPU build only touches those of one token per slot,
 *   in the graph and in the output buffer. A projector adds such rows for all places of an image or a recording. With
 *   `floatCache`, which goes without flash attention, every token of a batch has a score for each token and head.
 */
export function estimateMemory(shape: ModelShape, plan: MemoryPlan): MemoryEstimate {
  const { backend, kind, slots, threads } = plan;
  const contextLength = roundContext(plan.contextLength);
  const inBatches = kind === 'chat' || (shape.poolsLast && backend !== 'wasm');
  const batch = inBatches ? batchOf(shape, plan) : contextLength;
  const outputs = kind !== 'chat' ? 0 : slots + rowsOfLogits(backend, batch, slots);
  const scores = plan.floatCache ? (batch * contextLength * shape.embeddingLength) / HEAD_LENGTH : 0;
  const numbers = rowsOf(batch, shape) + outputs * shape.vocabularySize + scores;
  const projector = projectorBytes(shape, backend);

  const draft = draftOf(shape, plan);
  const mtp = mtpOf(shape, plan, batch);
  const eagle3 = eagle3Of(shape, plan, batch);

  const weights =
    threads * (shape.fileBytes + projector.copy + shape.vocabularySize * BYTES_PER_VOCABULARY_ENTRY) +
    draft.weights +
    eagle3.weights;
  const cached = contextLength * cachedBytesIn(plan, shape) + fixedCacheBytes(shape, plan);
  const cache = threads * slots * cached + draft.cache + mtp.cache + eagle3.cache;
  const compute =
    threads * (F32_BYTES * numbers + projector.compute + RUNTIME_BYTES[backend]) +
    draft.compute +
    mtp.compute +
    eagle3.compute;
  return { weights, cache, compute, total: Math.ceil(weights + cache + compute) };
}

/** Returns the tokens whose logits the graph of a forward pass holds. */
function rowsOfLogits(backend: BackendName, batch: number, slots: number): number {
  if (backend === 'wasm') return batch;
  return backend === 'cpu' ? slots : slots * outputsOf(Math.max(batch, slots), slots);
}

/** Returns the bytes of the experts that one token does not use. */
export function idleExpertBytes({ experts }: Pick<ModelShape, 'experts'>): number {
  return experts ? Math.floor(experts.bytes * (1 - experts.used / experts.count)) : 0;
}

/** Returns the bytes of weights that the computation of one token reads. Only images and recordings need the projector. */
export function bytesReadPerToken(shape: Pick<ModelShape, 'fileBytes' | 'experts' | 'projector'>): number {
  return shape.fileBytes - (shape.projector?.fileBytes ?? 0) - idleExpertBytes(shape);
}

/** The memory of a draft model: it has one slot, and shares the runtime. */
function draftOf({ draft }: ModelShape, plan: MemoryPlan): Pick<MemoryEstimate, 'weights' | 'cache' | 'compute'> {
  if (!draft || plan.backend === 'wasm') return { weights: 0, cache: 0, compute: 0 };
  const contextLength = Math.min(plan.contextLength, draft.trainedContextLength);
  const estimate = estimateMemory(draft, { ...plan, contextLength, slots: 1 });
  return { ...estimate, compute: estimate.compute - plan.threads * RUNTIME_BYTES[plan.backend] };
}

/** The memory of the context of a model's MTP layer, with the hidden rows of a batch that both contexts keep. */
function mtpOf(shape: ModelShape, plan: MemoryPlan, batch: number): Pick<MemoryEstimate, 'cache' | 'compute'> {
  if (shape.mtpCachedPerToken === undefined || plan.backend === 'wasm') return { cache: 0, compute: 0 };
  const rows = rowsOf(batch, shape) + 2 * batch * shape.embeddingLength + plan.slots * shape.vocabularySize;
  const cached = roundContext(plan.contextLength) * mtpBytesPerToken(shape, plan.kvType);
  return { cache: plan.slots * cached, compute: F32_BYTES * rows };
}

/** Returns the bytes of the keys and values of one token in the MTP layer; 0 if it is not used. */
function mtpBytesPerToken({ mtpCachedPerToken: cachedPerToken = 0 }: ModelShape, kvType: KvType | undefined): number {
  return cachedBytesPerToken({ cachedPerToken }, kvType);
}

/**
 * The memory of an EAGLE-3 draft model: it has as many slots as the model, and the logits of a batch of its own, as it can guess them and
 * in the order of the model's vocabulary, in the graph and in the output buffer. The model keeps the rows of a batch for it, and a context
 * more if it lends weights.
 */
function eagle3Of(
  shape: ModelShape,
  plan: MemoryPlan,
  batch: number,
): Pick<MemoryEstimate, 'weights' | 'cache' | 'compute'> {
  const { eagle3, embeddingLength } = shape;
  if (!eagle3 || plan.backend === 'wasm') return { weights: 0, cache: 0, compute: 0 };
  const own = Math.max(EAGLE3_BATCH, plan.slots);
  const rows = eagle3.readLayers * embeddingLength * (batch + own);
  const logits = 3 * own * eagle3.vocabularySize + (eagle3.borrows ? shape.vocabularySize : 0);
  const lent = eagle3.borrows ? roundContext(1) * cachedBytesIn(plan, shape) : 0;
  const cached = roundContext(plan.contextLength) * cachedBytesPerToken(eagle3, plan.kvType);
  return {
    weights: eagle3.fileBytes + eagle3.vocabularySize * BYTES_PER_VOCABULARY_ENTRY,
    cache: plan.slots * cached + lent,
    compute: F32_BYTES * (rowsOf(own, eagle3) + rows + logits),
  };
}

/** Returns the bytes of the keys and values of one token in what guesses from hidden rows. */
function guessBytesPerToken(shape: ModelShape, kvType: KvType | undefined): number {
  return mtpBytesPerToken(shape, kvType) + (shape.eagle3 ? cachedBytesPerToken(shape.eagle3, kvType) : 0);
}

/** The bytes that a projector takes besides its file: its compute buffers and, on WebAssembly, a second copy. */
function projectorBytes({ projector }: ModelShape, backend: BackendName): { copy: number; compute: number } {
  if (!projector) return { copy: 0, compute: 0 };
  const rows = F32_BYTES * rowsOf(projector.places, projector);
  if (backend !== 'wasm') return { copy: 0, compute: rows };
  return { copy: projector.fileBytes, compute: rows + (projector.audio ? AUDIO_BYTES : 0) };
}

/** Counts the numbers in the rows of one layer, for `count` tokens or places. */
function rowsOf(count: number, shape: Pick<ModelShape, 'embeddingLength' | 'feedForwardLength'>): number {
  return count * (6 * shape.embeddingLength + 3 * shape.feedForwardLength);
}

function batchOf(
  { fileBytes, projector }: ModelShape,
  { backend, batchSize }: Pick<MemoryPlan, 'backend' | 'batchSize'>,
): number {
  const batch = backend === 'wasm' ? Math.min(batchSize, wasmBatch(fileBytes, MOST_WASM_THREADS)) : batchSize;
  return Math.max(batch, projector?.tokensTogether ?? 0);
}

/**
 * Returns the bytes of a slot's cache that do not grow with a window beyond the sliding one: the keys and values of the
 * layers with a sliding window, and the recurrent state with the earlier states that are kept.
 */
export function fixedCacheBytes(shape: ModelShape, plan: Omit<MemoryPlan, 'threads' | 'kind'>): number {
  const { window, stateNumbers = 0 } = shape;
  const states = 1 + (plan.backend === 'wasm' ? 0 : earlierStates(shape, plan.slots));
  const state = F32_BYTES * stateNumbers * states;
  if (!window) return state;
  const places = roundContext(Math.min(plan.contextLength, window.tokens + batchOf(shape, plan)));
  return state + places * cachedBytesIn(plan, window);
}

/** Returns the bytes of the keys and values of one token in the format of a plan. */
function cachedBytesIn(
  { backend, kvType, floatCache }: Pick<MemoryPlan, 'backend' | 'kvType' | 'floatCache'>,
  shape: Pick<ModelShape, 'cachedPerToken'>,
): number {
  if (floatCache) return F32_BYTES * shape.cachedPerToken;
  return cachedBytesPerToken(shape, backend === 'wasm' ? undefined : kvType);
}

/** Returns the bytes of the keys and values of one token, in the layers that attend to all tokens. */
export function cachedBytesPerToken(
  { cachedPerToken }: Pick<ModelShape, 'cachedPerToken'>,
  kvType: KvType = 'f16',
): number {
  return (cachedPerToken * BYTES_OF_32[kvType]) / 32;
}

/**
 * Returns the bytes of WebAssembly's memory for a model of which a part is on a graphics card: the rest of its weights and
 * caches, the vocabulary, the runtime, and the buffer through which the largest tensor goes to the card.
 *
 * @param beside the bytes of weights and caches that are not on the card
 * @param streams false if the files pass through the memory as a whole
 */
export function wasmHeapBytes(shape: ModelShape, beside: number, streams: boolean): number {
  const { tensors, projector, vocabularySize, embeddingLength, fileBytes } = shape;
  const halfFloats = 2;
  const embedding = tensors ? tensors.embedding : Math.min(fileBytes, halfFloats * vocabularySize * embeddingLength);
  const largest = Math.max(
    embedding,
    tensors?.output ?? 0,
    ...(tensors?.layers ?? []).map(({ experts }) => experts / 3),
  );
  const kept = beside + (tensors ? 0 : embedding);
  const passing = streams ? largest : fileBytes;
  const vocabulary = vocabularySize * BYTES_PER_VOCABULARY_ENTRY;
  return Math.ceil(kept + passing + (projector?.fileBytes ?? 0) + vocabulary + RUNTIME_BYTES.wasm);
}

/** Returns the sizes from which the part of a model that goes to a GPU with memory of its own is chosen. */
export function partSizes(shape: ModelShape, plan: MemoryPlan): PartSizes {
  const { weights, compute } = estimateMemory(shape, plan);
  // The runtime is in the machine's memory.
  const onGpu = compute - plan.threads * RUNTIME_BYTES[plan.backend];
  const copies = plan.slots * plan.threads;
  const all = weights + copies * fixedCacheBytes(shape, plan);
  const sizes = {
    layers: shape.layers + 1,
    weights: all,
    compute: onGpu,
    cachePerToken: copies * (cachedBytesPerToken(shape, plan.kvType) + guessBytesPerToken(shape, plan.kvType)),
  };
  const { tensors } = shape;
  if (!tensors) return sizes;
  const ofTensors = sum(tensors.layers.map(({ experts, rest }) => experts + rest));
  const known = ofTensors + tensors.embedding + tensors.output + tensors.others;
  return { ...sizes, tensors, besides: Math.max(0, all - known - shape.vocabularySize * BYTES_PER_VOCABULARY_ENTRY) };
}
