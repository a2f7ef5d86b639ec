import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Log, toLogFields } from '../../../contract/log.ts';
import { roundContext } from '../../context-length.ts';
import type { EngineOptions } from '../../engine.ts';
import { availableMemory } from '../../node/available-memory.ts';
import { type AddonContext, addonOf, swapAddons } from './addon-context.ts';
import { createContext, type LlamaContext, type LlamaModel } from './llama.ts';

/**
 * llama.cpp's context of a model. When llama.cpp makes a context, it fills the caches of all sequences with zeros: they
 * take time and memory even if they are never used. So the caches begin short, and grow when a sequence needs more.
 */
export interface GrowingContext {
  /**
   * Keep a reference to it: node-llama-cpp only has a weak one, and its dispose would wait for ever for a collected
   * context.
   */
  readonly context: LlamaContext;
  /** The addon's context. It is replaced when the context grows. */
  readonly addon: AddonContext;
  /** The number of tokens that a sequence can hold now. */
  readonly room: number;
  /** The number of tokens that a sequence can hold after the context has grown as far as it may. */
  readonly contextLength: number;
  /**
   * Gives each sequence room for `length` tokens and, if there is memory for it, for more. The sequences keep their
   * tokens; logits that were not read are lost. All sequences must be settled, and nothing else may use the context
   * meanwhile. Changes nothing if there is too little memory. Never rejects.
   */
  grow(length: number): Promise<void>;
}

/**
 * The room at the beginning: this share of the context window, but no more than `FIRST_ROOM` tokens, which most chats
 * fit in.
 */
const FIRST_SHARE = 1 / 4;
const FIRST_ROOM = 4096;
/** The least room at the beginning, in batches, so that a few passes are possible before the context has to grow. */
const FIRST_BATCHES = 4;
/** The time between two attempts to grow after one that failed, in ms. */
const RETRY_MS = 1000;

/**
 * Makes the context of a chat model. Throws what node-llama-cpp throws, for example if there is too little memory.
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
  const wanted = options.contextLength ?? 0;
  const first = firstRoom(wanted, options.batchSize);
  const isShort = grows && first < wanted && !choosesByWindow(model);
  const context = await createContext(model, isShort ? { ...options, contextLength: first } : options);
  let room = context.contextSize;
  const contextLength = isShort ? wholeLength(wanted, model) : room;
  /** `performance.now()` at the latest failed attempt to grow, in ms. */
  let refusedAt = Number.NEGATIVE_INFINITY;

  /** The new context needs memory of its own until the present one is disposed. */
  const hasMemoryFor = (length: number) =>
    (addonOf(context).getMemoryBreakdown().cpuRam * length) / room <= available();

  const growTo = async (length: number) => {
    const larger = await createContext(model, { ...options, contextLength: length });
    try {
      await moveAll(addonOf(context), addonOf(larger), options.slots);
      swapAddons(context, larger);
    } finally {
      // After the swap, this disposes the old addon context; after a failure, the new one.
      await larger.dispose();
    }
    room = length;
  };

  return {
    context,
    contextLength,
    get addon() {
      return addonOf(context);
    },
    get room() {
      return room;
    },
    async grow(length) {
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

/**
 * Returns the room, doubled until it holds `length` tokens: a long conversation goes on, and would soon need more
 * again.
 */
function doubled(room: number, length: number): number {
  return room < length ? doubled(2 * room, length) : room;
}

function firstRoom(contextLength: number, batchSize: number): number {
  return roundContext(Math.max(FIRST_BATCHES * batchSize, Math.min(FIRST_ROOM, FIRST_SHARE * contextLength)));
}

/**
 * Returns the window that node-llama-cpp makes: a whole number of llama.cpp's steps, unless that exceeds the trained
 * window.
 */
function wholeLength(wanted: number, { trainContextSize: trained }: LlamaModel): number {
  const whole = roundContext(wanted);
  return wanted <= trained && whole < trained ? whole : wanted;
}

/**
 * True for models whose rotary angles depend on the window: keys computed in a short window would be wrong in a long
 * one.
 */
function choosesByWindow({ fileInfo }: LlamaModel): boolean {
  const { rope } = fileInfo.architectureMetadata;
  return rope?.scaling?.original_context_length !== undefined;
}

/** Moves the tokens of all sequences into an empty context. */
async function moveAll(from: AddonContext, to: AddonContext, sequences: number): Promise<void> {
  for (let sequence = 0; sequence < sequences; sequence++) {
    if (from.getSequenceKvCacheMaxPosition(sequence) >= 0) await move(from, to, sequence);
  }
}

/**
 * Tries two folders for the file: a container's disk may be read-only, and its /dev/shm too small. Throws if both fail.
 */
async function move(from: AddonContext, to: AddonContext, sequence: number): Promise<void> {
  const reasons: unknown[] = [];
  for (const place of [tmpdir(), '/dev/shm']) {
    try {
      return await moveThrough(place, from, to, sequence);
    } catch (error) {
      reasons.push(error);
      to.disposeSequence(sequence);
    }
  }
  throw new Error('there is no place for what a slot holds', { cause: reasons[0] });
}

/** Moves the tokens by a file: the addon has no other way. Throws if the file cannot be written or read. */
async function moveThrough(place: string, from: AddonContext, to: AddonContext, sequence: number): Promise<void> {
  const last = from.getSequenceKvCacheMaxPosition(sequence);
  const folder = await mkdtemp(join(place, 'paddock-grow-'));
  try {
    const path = join(folder, 'sequence');
    await from.saveSequenceStateToFile(path, sequence, new Uint32Array(0));
    await to.loadSequenceStateFromFile(path, sequence, last + 1);
    if (to.getSequenceKvCacheMaxPosition(sequence) !== last) throw new Error('llama.cpp did not take it');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
