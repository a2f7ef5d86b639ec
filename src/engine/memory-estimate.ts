import type { BackendName } from '../core/runner.ts';
import { roundContext } from './context-length.ts';
import type { ModelKind, ModelShape } from './engine.ts';

/** What a model's need of memory depends on besides its shape. */
export interface MemoryPlan {
  backend: BackendName;
  kind: ModelKind;
  /** Of one slot, in tokens. */
  contextLength: number;
  /** Of one thread. */
  slots: number;
  /** Worker threads, each with a copy of the model of its own. */
  threads: number;
  batchSize: number;
}

/** Bytes that loading a model takes, of all its threads together. */
export interface MemoryEstimate {
  /** Weights and vocabulary. */
  weights: number;
  /** Keys and values of the tokens in all slots. */
  cache: number;
  /** Intermediate results, and the runtime itself. */
  compute: number;
  total: number;
}

/** There is less memory than the model needs. The message is for the log. */
export class InsufficientMemory extends Error {
  override readonly name = 'InsufficientMemory';
}

const MIB = 2 ** 20;
const F16_BYTES = 2;
const F32_BYTES = 4;
/** Of llama.cpp's tables by token and by text, and the text in JavaScript; measured at 20k and 152k tokens. */
const BYTES_PER_VOCABULARY_ENTRY = 600;
/** A thread with its runtime and no model to speak of, as measured; WebAssembly's holds the compiled code. */
const RUNTIME_BYTES = { gpu: 48 * MIB, cpu: 48 * MIB, wasm: 420 * MIB };
/** The threads that WebAssembly has besides for recordings, together, as measured. */
const AUDIO_BYTES = 170 * MIB;
/**
 * Largest batch on WebAssembly: an abort waits for the pass under way, and larger ones read prompts no faster to speak of (a
 * model of 0.5B by two threads: 12.9 tokens per second by 8 at a time, 13.4 by 32).
 */
export const MOST_WASM_BATCH = 8;

/**
 * Estimates what a model takes once it has been used. It follows llama.cpp's own buffers:
 *
 * - weights: the files, once. The CPU build maps them, or copies them into a layout that the CPU likes and leaves the
 *   mapped ones to the system; WebAssembly copies them, and a projector's once more.
 * - cache: keys and values as half floats for each token of each slot (`llama_kv_cache`).
 * - compute: for each token of a batch the rows of one layer as floats, about six of the embedding's length and three of
 *   the feed-forward's, with flash attention; and the logits, which a GPU and WebAssembly hold for a whole batch and the
 *   CPU build touches for one token of each slot, in the graph and in the output buffer. A projector, which runs on
 *   WebAssembly, has rows of its own for all places of an image or a recording.
 */
export function estimateMemory(shape: ModelShape, plan: MemoryPlan): MemoryEstimate {
  const { backend, kind, slots, threads } = plan;
  const contextLength = roundContext(plan.contextLength);
  const inBatches = kind === 'chat' || (shape.poolsLast && backend !== 'wasm');
  const batch = inBatches ? batchOf(shape, plan) : contextLength;
  const outputs = kind !== 'chat' ? 0 : backend === 'cpu' ? 2 * slots : batch + slots;
  const numbers = rowsOf(batch, shape) + outputs * shape.vocabularySize;
  const projector = projectorBytes(shape);

  const weights = threads * (shape.fileBytes + projector.copy + shape.vocabularySize * BYTES_PER_VOCABULARY_ENTRY);
  const cache = threads * slots * contextLength * shape.cachedPerToken * F16_BYTES;
  const compute = threads * (F32_BYTES * numbers + projector.compute + RUNTIME_BYTES[backend]);
  return { weights, cache, compute, total: Math.ceil(weights + cache + compute) };
}

/** What a projector takes besides its file. */
function projectorBytes({ projector }: ModelShape): { copy: number; compute: number } {
  if (!projector) return { copy: 0, compute: 0 };
  const rows = F32_BYTES * rowsOf(projector.places, projector);
  return { copy: projector.fileBytes, compute: rows + (projector.audio ? AUDIO_BYTES : 0) };
}

/** Numbers of one layer for so many tokens or places. */
function rowsOf(count: number, shape: Pick<ModelShape, 'embeddingLength' | 'feedForwardLength'>): number {
  return count * (6 * shape.embeddingLength + 3 * shape.feedForwardLength);
}

function batchOf({ projector }: ModelShape, { backend, batchSize }: MemoryPlan): number {
  const batch = backend === 'wasm' ? Math.min(batchSize, MOST_WASM_BATCH) : batchSize;
  return Math.max(batch, projector?.tokensTogether ?? 0);
}

/** Bytes in the words of people: MiB below one GiB. */
export function inWords(bytes: number): string {
  return bytes < 1024 * MIB ? `${Math.ceil(bytes / MIB)} MiB` : `${(bytes / (1024 * MIB)).toFixed(1)} GiB`;
}
