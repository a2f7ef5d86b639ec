import { createTurns } from '../../../utils/turns.ts';
import type { AddonContext, LogitsPlace } from './addon-context.ts';
import { createCells, type Memory } from './cells.ts';
import type { GrowingContext } from './growing-context.ts';
import type { LlamaContext } from './llama.ts';
import type { PassShape, Run } from './micro-batches.ts';
import { fillerPart, orderParts, type Part, type PassOrder, tokensOf } from './pass-order.ts';

export type { Memory, Part };

/**
 * llama.cpp's context, without the queues that node-llama-cpp puts before it: one forward pass is one call. Each
 * function that returns a promise waits until the calls before it have ended.
 */
export interface Decoder extends Pick<GrowingContext, 'context' | 'addon' | 'room' | 'contextLength'> {
  /** The most tokens in one forward pass. */
  readonly batchSize: number;
  /** The number of sequences. */
  readonly sequences: number;
  /**
   * Runs one forward pass and returns the places of the logits of each part. There has to be room for each part. Throws
   * if the pass fails.
   *
   * @param arrange decides on the order of the parts; by default it stays as given
   */
  decode(parts: Part[], threads: number, arrange?: (shape: PassShape) => Run[]): Promise<LogitsPlace[][]>;
  /**
   * Drops all but the first `length` tokens of a sequence. Returns the number of tokens that it holds then: `length`,
   * or 0 for a model that cannot drop only these tokens.
   */
  truncate(sequence: number, length: number): Promise<number>;
  /** Returns true if a sequence can drop all but its first `length` tokens. */
  reaches(sequence: number, length: number): Promise<boolean>;
  /**
   * Replaces what a sequence holds with the first `length` tokens of another sequence. Returns the number of tokens
   * that it holds then: `length` or 0. llama.cpp only notes the copy; it moves the bytes of the whole sequence when the
   * next forward pass begins.
   */
  copy(from: number, to: number, length: number): Promise<number>;
  /**
   * False while the next forward pass is to copy bytes from or to this sequence. Until then nothing else may read or
   * write them.
   */
  settled(sequence: number): boolean;
  /**
   * Writes the state of a sequence to a file. Resolves to its size in bytes, and to the time of writing in ms. Throws
   * if the file cannot be written or the sequence is not settled.
   */
  save(sequence: number, path: string): Promise<{ bytes: number; ms: number }>;
  /**
   * Loads a file with the state of `length` tokens into an empty sequence. Resolves to false, with the sequence empty,
   * if the file cannot be loaded or there is no room for it.
   */
  load(sequence: number, path: string, length: number): Promise<boolean>;
  /**
   * Returns true if a sequence of `length` tokens has no room for another forward pass, and `reserve` could make room.
   */
  lacks(length: number): boolean;
  /**
   * Makes room for `length` tokens and another forward pass in every sequence, if there is memory for it and all
   * sequences are settled. Logits that were not read are lost. Throws if the context is disposed.
   */
  reserve(length: number): Promise<void>;
  /** Keeps the context from being disposed until the returned function is called. Throws if it is disposed already. */
  hold(): () => void;
}

/** Makes the decoder of a context. */
export function createDecoder(growing: GrowingContext, memory: Memory): Decoder {
  const { context, contextLength } = growing;
  const { batchSize, totalSequences: sequences } = context;
  const cells = createCells(growing, memory);
  // llama.cpp's context allows one call at a time.
  const alone = createTurns();
  /** The sequences that the next forward pass is to copy from or to. */
  let unsettled = new Set<number>();

  const lacks = (length: number) => growing.room < Math.min(length + batchSize, contextLength);

  const fillerFor = (sequence: number, longest: number): Part | undefined => {
    if (!memory.rewinds || unsettled.has(sequence)) return undefined;
    const at = cells.count(sequence);
    return at < Math.min(longest, growing.room) ? fillerPart(sequence, at) : undefined;
  };
  const orderOf = (parts: Part[], arrange: ((shape: PassShape) => Run[]) | undefined): PassOrder =>
    arrange
      ? orderParts(parts, sequences, batchSize - tokensOf(parts), fillerFor, arrange)
      : { order: parts, fillers: [] };

  return {
    context,
    contextLength,
    get addon() {
      return growing.addon;
    },
    get room() {
      return growing.room;
    },
    batchSize,
    sequences,
    hold: () => holdContext(context),
    decode: (parts, threads, arrange) =>
      alone(async () => {
        const { order, fillers } = orderOf(parts, arrange);
        const places = fillBatch(growing.addon, order);
        growing.addon.setThreads(threads);
        unsettled = new Set();
        try {
          await growing.addon.decodeBatch();
        } finally {
          for (const { sequence, at } of fillers) cells.keep(sequence, at);
        }
        return parts.map(({ sequence }) => places.get(sequence) ?? []);
      }),
    truncate: (sequence, length) => alone(async () => cells.keep(sequence, length)),
    reaches: (sequence, length) => alone(async () => cells.reaches(sequence, length)),
    copy: (from, to, length) =>
      alone(async () => {
        cells.clear(to);
        const lastPosition = await growing.addon.copySequenceStateFromOtherSequence(to, from);
        unsettled.add(from).add(to);
        return lastPosition + 1 < length ? cells.clear(to) : cells.keep(to, length);
      }),
    settled: (sequence) => !unsettled.has(sequence),
    save: (sequence, path) =>
      alone(async () => {
        if (unsettled.has(sequence)) throw new Error('the next forward pass is to copy this sequence');
        const since = performance.now();
        const bytes = await growing.addon.saveSequenceStateToFile(path, sequence, NO_TOKENS);
        return { bytes, ms: performance.now() - since };
      }),
    load: (sequence, path, length) =>
      alone(async () => {
        if (length > growing.room) return false;
        await growing.addon.loadSequenceStateFromFile(path, sequence, length).catch(() => {});
        if (cells.count(sequence) === length) return true;
        cells.clear(sequence);
        return false;
      }),
    lacks,
    async reserve(length) {
      if (!lacks(length)) return;
      await alone(async () => {
        const release = holdContext(context);
        if (unsettled.size === 0) await growing.grow(length + batchSize);
        release();
      });
    },
  };
}

/**
 * Puts the parts of a pass into llama.cpp's batch. Returns the places of their logits by the numbers of their
 * sequences.
 */
function fillBatch(addon: AddonContext, order: readonly Part[]): Map<number, LogitsPlace[]> {
  const places = new Map<number, LogitsPlace[]>();
  addon.initBatch(tokensOf(order));
  for (const { sequence, at, tokens, logitsAt } of order) {
    const put = addon.addToBatch(sequence, at, Uint32Array.from(tokens), Uint32Array.from(logitsAt));
    places.set(sequence, Array.from(put));
  }
  return places;
}

/** Uses a private part of node-llama-cpp. Throws if the context is disposed. */
function holdContext(context: LlamaContext): () => void {
  const guard = Reflect.get(context, '_backendContextDisposeGuard') as {
    createPreventDisposalHandle(): { dispose(): void };
  };
  const handle = guard.createPreventDisposalHandle();
  return () => handle.dispose();
}

/** Paddock's store keeps the tokens of a saved state itself, so the file has none. */
const NO_TOKENS = new Uint32Array(0);
