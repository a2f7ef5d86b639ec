import { defaultContextLength, roundContext } from '../../context-length.ts';
import type { EngineOptions } from '../../engine.ts';
import type { LlamaModel } from './model.ts';

/** The sizes of the KV cache of a chat model. */
export interface CacheSizes {
  /** True if all sequences share the cells of one cache; false if each has a cache of its own. */
  unified: boolean;
  sequences: number;
  /** The context window, in tokens. */
  contextLength: number;
  /** The tokens for which there is room at the beginning, and in the end: of each sequence, or of all if they share the cells. */
  first: number;
  largest: number;
}

/**
 * The room at the beginning: this share of the context window, but no more than `FIRST_ROOM` tokens, which most chats
 * fit in, and no more than `FIRST_TOKENS` of all slots together.
 */
const FIRST_SHARE = 1 / 4;
const FIRST_ROOM = 4096;
const FIRST_TOKENS = 32_768;
/** The least room at the beginning, in batches, so that a few passes are possible before the context has to grow. */
const FIRST_BATCHES = 4;
/** The number of tokens for which each sequence has room on average at least, if there are more than whole windows. */
const LEAST_SHARE = 2048;

/**
 * Plans the sizes of the KV cache. Sequences that share one cache have together as many cells as the windows of `slots`,
 * and there may be more of them.
 */
export function planCache(model: LlamaModel, options: EngineOptions): CacheSizes {
  const { slots, mostSlots = slots } = options;
  const wanted = options.contextLength ?? chatLength(model);
  const unified = sharesCells(model, options);
  const first = firstRoom(wanted, options);
  const contextLength = wholeLength(wanted, model);
  if (!unified)
    return {
      unified,
      sequences: slots,
      contextLength,
      first: choosesByWindow(model) ? wanted : first,
      largest: wanted,
    };
  const largest = roundContext(wanted) * slots;
  const sequences = Math.max(slots, Math.min(mostSlots, Math.floor(largest / LEAST_SHARE)));
  return { unified, sequences, contextLength, first: Math.min(largest, first * slots), largest };
}

/**
 * True if the sequences of a model's context share the cells of one cache. Attention then passes over the cells of other
 * sequences, which Paddock's kernels do for 16-bit floats. A sliding window drops no cell that two sequences share, and
 * a recurrent state is no cell. llama.cpp would take the size of the shared cache for the window. Sums are rounded
 * otherwise where cells lie otherwise, so `oneByOne` needs a cache for each sequence. A GPU computes the attention to cells of
 * other sequences before it drops it: 16 prompts of 1,000 tokens of a 7B took 1.5 times as long on an H200, and 1 GB more of the
 * machine's memory.
 */
function sharesCells(model: LlamaModel, { flashAttention, kvType, oneByOne }: EngineOptions): boolean {
  const { rewinds, library, gpuLayers } = model;
  const hasKernels = library.kernels.instructions !== null && flashAttention !== false && (kvType ?? 'f16') === 'f16';
  return gpuLayers === 0 && rewinds && hasKernels && !oneByOne && !choosesByWindow(model);
}

function firstRoom(contextLength: number, { batchSize, slots }: EngineOptions): number {
  const room = Math.min(FIRST_ROOM, FIRST_TOKENS / slots, FIRST_SHARE * contextLength);
  return roundContext(Math.max(FIRST_BATCHES * batchSize, room));
}

/** Returns the default context window of a chat model, in tokens. */
export function chatLength({ trainedContextLength: trained }: Pick<LlamaModel, 'trainedContextLength'>): number {
  return defaultContextLength({ backend: 'cpu', kind: 'chat', trained });
}

/** Returns the window that llama.cpp makes: a whole number of its steps, unless that exceeds the trained window. */
function wholeLength(wanted: number, { trainedContextLength: trained }: LlamaModel): number {
  const whole = roundContext(wanted);
  return wanted <= trained && whole < trained ? whole : wanted;
}

/**
 * True for models whose rotary angles depend on the window: keys computed in a short window would be wrong in a long
 * one.
 */
function choosesByWindow(model: Pick<LlamaModel, 'architecture'>): boolean {
  return model.architecture('rope.scaling.original_context_length') !== undefined;
}
