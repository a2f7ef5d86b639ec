import { type Log, toLogFields } from '../../../contract/log.ts';
import { defaultContextLength, roundContext } from '../../context-length.ts';
import type { EngineOptions } from '../../engine.ts';
import { InsufficientMemory, outputsOf } from '../../memory-estimate.ts';
import { availableMemory } from '../../node/available-memory.ts';
import { usableCores } from '../../node/cores.ts';
import { type LlamaContext, openContext } from './context.ts';
import type { LlamaModel } from './model.ts';

/**
 * llama.cpp's context of a chat model. When llama.cpp makes a context, it fills the caches of all sequences with zeros:
 * without Paddock's kernels, they take time and memory even if they are never used. A copy of a sequence takes as long
 * as its cache is large. So the caches begin short, and grow when a sequence needs more.
 */
export interface GrowingContext {
  /** It is replaced when the context grows. */
  readonly context: LlamaContext;
  /** The number of tokens that a sequence can hold now. */
  readonly room: number;
  /** The number of tokens that a sequence can hold after the context has grown as far as it may. */
  readonly contextLength: number;
  /** The size of the KV caches now, in bytes; 0 for a context that does not grow. */
  readonly bytes: number;
  /**
   * Gives each sequence room for `length` tokens and, if there is memory for it, for more. The sequences keep their
   * tokens; logits that were not read are lost. All sequences must be settled, and nothing else may use the context
   * meanwhile. Changes nothing if there is too little memory. Never rejects.
   */
  grow(length: number): Promise<void>;
  /** Keeps the context from being closed until the returned function is called. Throws if it is closed already. */
  hold(): () => void;
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
/** The time between two attempts to grow after one that failed, in ms. */
const RETRY_MS = 1000;

/**
 * Makes the context of a chat model, which the model owns. Throws `InsufficientMemory` if llama.cpp cannot make it.
 *
 * @param grows false if the context has all of its room from the beginning
 * @param available returns the bytes of memory that are available now
 */
export async function createGrowingContext(
  model: LlamaModel,
  options: EngineOptions,
  grows: boolean,
  log: Log,
  available = availableMemory,
): Promise<GrowingContext> {
  const wanted = options.contextLength ?? chatLength(model);
  const first = firstRoom(wanted, options);
  const isShort = grows && first < wanted && !choosesByWindow(model);
  let context = await openWith(model, options, isShort ? first : wanted);
  const contextLength = wholeLength(wanted, model);
  const perToken = isShort ? await measureCache(context) : { whole: 0, windowed: 0 };
  const windowed = (model.window ?? 0) + (options.microBatch ?? context.batchSize);
  const bytesAt = (length: number) =>
    options.slots * (perToken.whole * length + perToken.windowed * Math.min(length, windowed));
  /** `performance.now()` at the latest failed attempt to grow, in ms. */
  let refusedAt = Number.NEGATIVE_INFINITY;
  let holders = 0;
  let closing: (() => void) | undefined;
  let closed = false;

  /** The new context needs memory of its own until the present one is closed. */
  const hasMemoryFor = (length: number) => bytesAt(length) <= available();

  const growTo = async (length: number) => {
    const larger = await openWith(model, options, length);
    try {
      await moveAll(context, larger);
    } catch (error) {
      await larger[Symbol.asyncDispose]();
      throw error;
    }
    const smaller = context;
    context = larger;
    await smaller[Symbol.asyncDispose]();
  };

  model.own({
    async [Symbol.asyncDispose]() {
      closed = true;
      if (holders > 0) await new Promise<void>((resolve) => (closing = resolve));
      await context[Symbol.asyncDispose]();
    },
  });

  return {
    contextLength,
    get context() {
      return context;
    },
    get room() {
      return Math.min(context.room, contextLength);
    },
    get bytes() {
      return bytesAt(context.room);
    },
    hold() {
      if (closed) throw new Error('the context is closed');
      holders += 1;
      return () => {
        holders -= 1;
        if (holders === 0) closing?.();
      };
    },
    async grow(length) {
      const { room } = context;
      if (Math.min(length, contextLength) <= room) return;
      const since = performance.now();
      if (since - refusedAt < RETRY_MS) return;
      const refused = refusedAt > 0;
      refusedAt = since;
      try {
        const sizes = [doubled(room, length), roundContext(length)].map((size) => Math.min(size, contextLength));
        const tokens = sizes.find(hasMemoryFor);
        if (tokens !== undefined) {
          await growTo(tokens);
          refusedAt = Number.NEGATIVE_INFINITY;
          log.info('slots have more room', { tokens, ms: Math.round(performance.now() - since) });
        } else if (!refused) {
          log.warn('too little free memory for longer conversations', { tokens: length, now: room });
        }
      } catch (error) {
        if (!refused) log.warn('slots could not get more room', { tokens: length, now: room, ...toLogFields(error) });
      }
    },
  };
}

async function openWith(model: LlamaModel, options: EngineOptions, contextLength: number): Promise<LlamaContext> {
  const batchSize = Math.max(options.batchSize, options.slots);
  const context = await openContext(model, {
    contextLength,
    sequences: options.slots,
    batchSize,
    microBatch: Math.max(options.microBatch ?? batchSize, options.slots),
    outputs: options.slots * outputsOf(batchSize, options.slots),
    threads: options.threads ?? usableCores().count,
    flashAttention: options.flashAttention,
    states: options.states,
    kvType: options.kvType,
    unified: sharesCells(model, options),
  });
  if (context) return context;
  const reason = model.library.takeError();
  throw new InsufficientMemory(`llama.cpp could not make a context of ${contextLength} tokens: ${reason}`);
}

/**
 * True if the sequences of a model's context share the cells of one cache. Attention then passes over the cells of other
 * sequences, which Paddock's kernels do for 16-bit floats. A sliding window drops no cell that two sequences share, and
 * a recurrent state is no cell.
 */
function sharesCells({ rewinds, library }: LlamaModel, { flashAttention, kvType }: EngineOptions): boolean {
  return rewinds && library.kernels.instructions !== null && flashAttention !== false && (kvType ?? 'f16') === 'f16';
}

/** The bytes that one token takes in the cache, in layers that attend to all tokens and in those with a window. */
interface TokenBytes {
  whole: number;
  windowed: number;
}

/** Returns the bytes of one token: the difference between states of two tokens and of one. */
async function measureCache(context: LlamaContext): Promise<TokenBytes> {
  const bytesWith = async (at: number) => {
    await context.decode([{ sequence: 0, at, tokens: [0], logitsAt: [] }]);
    return { all: context.stateBytes(0), partial: context.stateBytes(0, true) };
  };
  const one = await bytesWith(0);
  const two = await bytesWith(1);
  context.remove(0, 0);
  // Without a sliding window, the partial state is the whole state, or a recurrent state of one size.
  const windowed = two.partial < two.all ? two.partial - one.partial : 0;
  return { whole: two.all - one.all - windowed, windowed };
}

/**
 * Returns the room, doubled until it holds `length` tokens: a long conversation goes on, and would soon need more
 * again.
 */
function doubled(room: number, length: number): number {
  return room < length ? doubled(2 * room, length) : room;
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

/** Copies the tokens of all sequences into an empty context. Throws if there is no memory for a copy. */
async function moveAll(from: LlamaContext, to: LlamaContext): Promise<void> {
  for (let sequence = 0; sequence < from.sequences; sequence++) {
    const { last } = from.positions(sequence);
    if (last < 0) continue;
    await from.moveTo(to, sequence);
    if (to.positions(sequence).last !== last) throw new Error('llama.cpp did not take what a sequence holds');
  }
}
