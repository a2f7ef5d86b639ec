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
 * llama.cpp's context of a model. It fills the caches of all sequences with zeros when it is made, so that they take time and memory
 * whether they are used or not. So they begin short, and grow when a sequence needs more.
 */
export interface GrowingContext {
  /** To be held: node-llama-cpp finds what it has to dispose by weak references, and would wait for ever for a lost context. */
  readonly context: LlamaContext;
  /** llama.cpp's context itself, which is another one after it has grown. */
  readonly addon: AddonContext;
  /** The tokens that a sequence can hold as long as it does not grow. */
  readonly room: number;
  /** The tokens that a sequence can come to hold. */
  readonly contextLength: number;
  /**
   * Gives each sequence room for so many tokens and, if there is the memory, for more. What they hold stays; logits that were not read
   * are lost. No bytes may be still to be copied, and nothing else may use the context meanwhile. Without the memory for it, all stays as
   * it was. Never rejects.
   */
  grow(length: number): Promise<void>;
}

/** The room at first: this share of the window, and no more tokens than most chats need. */
const FIRST_SHARE = 1 / 4;
const FIRST_ROOM = 4096;
/** The batches that it holds at least, so that there is always room for some passes before it has to grow. */
const FIRST_BATCHES = 4;
/** Memory that was lacking is asked for again after this, in ms. */
const RETRY_MS = 1000;

/**
 * @param grows false has it begin with all of its room
 * @param available tells the bytes of memory that can be had now
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
  /** When the memory was lacking last, in ms. */
  let refusedAt = Number.NEGATIVE_INFINITY;

  /** All of it lies beside the present one, until that is disposed. */
  const hasMemoryFor = (length: number) =>
    (addonOf(context).getMemoryBreakdown().cpuRam * length) / room <= available();

  const growTo = async (length: number) => {
    const larger = await createContext(model, { ...options, contextLength: length });
    try {
      await moveAll(addonOf(context), addonOf(larger), options.slots);
      swapAddons(context, larger);
    } finally {
      // It disposes of the one of both that is not used.
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

/** A conversation that has come so far goes on: it is not to need more again soon. */
function doubled(room: number, length: number): number {
  return room < length ? doubled(2 * room, length) : room;
}

function firstRoom(contextLength: number, batchSize: number): number {
  return roundContext(Math.max(FIRST_BATCHES * batchSize, Math.min(FIRST_ROOM, FIRST_SHARE * contextLength)));
}

/** node-llama-cpp makes the window a whole number of llama.cpp's steps, unless that would be longer than the trained one. */
function wholeLength(wanted: number, { trainContextSize: trained }: LlamaModel): number {
  const whole = roundContext(wanted);
  return wanted <= trained && whole < trained ? whole : wanted;
}

/** Some models turn by other angles in a long window than in a short one: what was read in a short one would be wrong in a long one. */
function choosesByWindow({ fileInfo }: LlamaModel): boolean {
  const { rope } = fileInfo.architectureMetadata;
  return rope?.scaling?.original_context_length !== undefined;
}

/** Brings what each sequence holds into an empty context. */
async function moveAll(from: AddonContext, to: AddonContext, sequences: number): Promise<void> {
  for (let sequence = 0; sequence < sequences; sequence++) {
    if (from.getSequenceKvCacheMaxPosition(sequence) >= 0) await move(from, to, sequence);
  }
}

/** Tries all places where files may be written: the disk of a container may be read-only, and its files in memory few. */
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

/** Moves by a file, which is llama.cpp's only way. */
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
