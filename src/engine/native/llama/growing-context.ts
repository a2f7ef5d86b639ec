import { type Log, toLogFields } from '../../../contract/log.ts';
import { roundContext } from '../../context-length.ts';
import type { EngineOptions } from '../../engine.ts';
import { InsufficientMemory, outputsOf } from '../../memory-estimate.ts';
import { availableMemory } from '../../node/available-memory.ts';
import { usableCores } from '../../node/cores.ts';
import { type CacheSizes, planCache } from './cache-sizes.ts';
import type { ContextOptions } from './context/params.ts';
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
  /** The number of tokens that a sequence can hold now, if the others leave it as many. */
  readonly room: number;
  /** The number of tokens that a sequence can hold after the context has grown as far as it may. */
  readonly contextLength: number;
  /** The number of tokens that all sequences together can hold after the context has grown as far as it may. */
  readonly cacheLength: number;
  /** The size of the KV caches now, in bytes; 0 for a context that does not grow. */
  readonly bytes: number;
  /**
   * Gives each sequence room for `length` tokens and, if there is memory for it, for more. The sequences keep their
   * tokens; logits that were not read are lost. All sequences must be settled, and nothing else may use the context
   * meanwhile. Changes nothing if there is too little memory. Never rejects.
   */
  grow(length: number): Promise<void>;
  /** Gives the sequences that share one cache more cells, as `grow` does. Resolves to false if there are no more. */
  expand(): Promise<boolean>;
  /** Keeps the context from being closed until the returned function is called. Throws if it is closed already. */
  hold(): () => void;
}

/** What the context of a chat model computes besides, or in place of, its own layers. */
export interface ContextPart extends Pick<ContextOptions, 'guesses' | 'target' | 'gives'> {
  /** The most tokens in one forward pass; by default those of the options. */
  batchSize?: number;
  /** The sizes of its cache; by default those that the options and the model give. */
  sizes?: CacheSizes;
}

/** The time between two attempts to grow after one that failed, in ms. */
const RETRY_MS = 1000;

/**
 * Makes the context of a chat model, which the model owns. Throws `InsufficientMemory` if llama.cpp cannot make it.
 *
 * @param grows false if the context has all of its room from the beginning
 * @param available returns the bytes of memory that are available now
 * @param part the part of the model that it computes; by default its own layers alone
 */
export async function createGrowingContext(
  model: LlamaModel,
  options: EngineOptions,
  grows: boolean,
  log: Log,
  available = availableMemory,
  part: ContextPart = {},
): Promise<GrowingContext> {
  const { sizes = planCache(model, options) } = part;
  const { unified, contextLength, first, largest } = sizes;
  const isShort = grows && first < largest;
  const open = (length: number) => openWith(model, options, sizes, length, part);
  let context = await open(isShort ? first : largest);
  const perToken = isShort
    ? await measureCache(context, part.guesses ? model.hiddenWidth : 0)
    : { whole: 0, windowed: 0 };
  const windowed = (model.window ?? 0) + (options.microBatch ?? context.batchSize);
  const bytesAt = (length: number) =>
    (unified ? 1 : options.slots) * (perToken.whole * length + perToken.windowed * Math.min(length, windowed));
  /** `performance.now()` at the latest failed attempt to grow, in ms. */
  let refusedAt = Number.NEGATIVE_INFINITY;
  let holders = 0;
  let closing: (() => void) | undefined;
  let closed = false;

  /** The new context needs memory of its own until the present one is closed. */
  const hasMemoryFor = (length: number) => bytesAt(length) <= available();

  const growTo = async (length: number) => {
    const larger = await open(length);
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

  /** Resolves to false if the context has not grown. */
  const growFor = async (length: number): Promise<boolean> => {
    const { room } = context;
    if (Math.min(length, largest) <= room) return false;
    const since = performance.now();
    if (since - refusedAt < RETRY_MS) return false;
    const refused = refusedAt > 0;
    refusedAt = since;
    try {
      const lengths = [doubled(room, length), roundContext(length)].map((each) => Math.min(each, largest));
      const tokens = lengths.find(hasMemoryFor);
      if (tokens !== undefined) {
        await growTo(tokens);
        refusedAt = Number.NEGATIVE_INFINITY;
        log.info('slots have more room', { tokens, ms: Math.round(performance.now() - since) });
        return true;
      }
      if (!refused) log.warn('too little free memory for longer conversations', { tokens: length, now: room });
    } catch (error) {
      if (!refused) log.warn('slots could not get more room', { tokens: length, now: room, ...toLogFields(error) });
    }
    return false;
  };

  return {
    contextLength,
    cacheLength: unified ? largest : contextLength * options.slots,
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
      if (Math.min(length, contextLength) > context.room) await growFor(length);
    },
    expand: async () => unified && (await growFor(context.room + options.batchSize)),
  };
}

/** @param contextLength the tokens of each sequence, or of all if they share the cells */
async function openWith(
  model: LlamaModel,
  options: EngineOptions,
  { unified, sequences }: CacheSizes,
  contextLength: number,
  { guesses, target, gives, batchSize: ownBatch }: ContextPart,
): Promise<LlamaContext> {
  const batchSize = Math.max(ownBatch ?? options.batchSize, sequences);
  const context = await openContext(model, {
    contextLength,
    sequences,
    batchSize,
    microBatch: Math.max(ownBatch ?? options.microBatch ?? batchSize, sequences),
    outputs: guesses ? outputsOfGuesses(guesses, batchSize, sequences) : sequences * outputsOf(batchSize, sequences),
    threads: options.threads ?? usableCores().count,
    flashAttention: options.flashAttention,
    states: guesses ? undefined : options.states,
    kvType: options.kvType,
    unified,
    guesses,
    target,
    gives,
  });
  if (context) return context;
  const reason = model.library.takeError();
  throw new InsufficientMemory(`llama.cpp could not make a context of ${contextLength} tokens: ${reason}`);
}

/**
 * Returns the most tokens of a pass after which logits are wanted, in a context that guesses. A guess needs the logits
 * after one token of each sequence, but an EAGLE-3 draft model computes them after all tokens of a pass.
 */
function outputsOfGuesses(guesses: 'mtp' | 'eagle3', batchSize: number, sequences: number): number {
  return guesses === 'mtp' ? sequences : batchSize;
}

/** The bytes that one token takes in the cache, in layers that attend to all tokens and in those with a window. */
interface TokenBytes {
  whole: number;
  windowed: number;
}

/**
 * Returns the bytes of one token: the difference between states of two tokens and of one.
 *
 * @param hiddenWidth the numbers of a hidden row in a context that guesses from them, else 0
 */
async function measureCache(context: LlamaContext, hiddenWidth: number): Promise<TokenBytes> {
  const rows = hiddenWidth > 0 ? { hidden: new Float32Array(hiddenWidth) } : {};
  const bytesWith = async (at: number) => {
    await context.decode([{ sequence: 0, at, tokens: [0], logitsAt: [], ...rows }]);
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

/** Copies the tokens of all sequences into an empty context. Throws if there is no memory for a copy. */
async function moveAll(from: LlamaContext, to: LlamaContext): Promise<void> {
  for (let sequence = 0; sequence < from.sequences; sequence++) {
    const { last } = from.positions(sequence);
    if (last < 0) continue;
    await from.moveTo(to, sequence);
    if (to.positions(sequence).last !== last) throw new Error('llama.cpp did not take what a sequence holds');
  }
}
