import { sum } from '../../../utils/sum.ts';
import { createTurns } from '../../../utils/turns.ts';
import { type Cells, createCells, type Memory } from './cells.ts';
import type { EvaluationOptions, LlamaContext } from './context.ts';
import type { Follower } from './follower.ts';
import type { GrowingContext } from './growing-context.ts';
import type { PassShape, Run } from './micro-batches.ts';
import { fillerPart, orderParts, type Part, type PassOrder, tokensOf } from './pass-order.ts';
import type { LogitsPlace } from './tokens/token.ts';

export type { Memory, Part };

/** How a forward pass runs. */
export interface PassOptions extends EvaluationOptions {
  /** Decides on the order of the parts; by default it stays as given. */
  arrange?: ((shape: PassShape) => Run[]) | undefined;
}

/**
 * llama.cpp's context as the engine uses it: one forward pass is one call. Each function that returns a promise waits
 * until the calls before it have ended.
 */
export interface Decoder
  extends Pick<GrowingContext, 'room' | 'contextLength' | 'cacheLength' | 'hold'>,
    Pick<LlamaContext, 'logitsAt' | 'highestAt' | 'unified'> {
  /** The most tokens in one forward pass. */
  readonly batchSize: number;
  /** The number of sequences. */
  readonly sequences: number;
  /** The most tokens of each sequence in one forward pass after which logits can be wanted. */
  readonly outputs: number;
  /** The most tokens of a pass that a sequence can drop right after it, as long as it keeps one of them. */
  readonly takesBack: number;
  /**
   * Runs one forward pass and returns the places of the logits of each part. There has to be room for each part. Throws
   * if the pass fails, `CacheFull` if the sequences that share one cache have used it up, and `PassAborted` if it was aborted.
   */
  decode(parts: Part[], threads: number, options?: PassOptions): Promise<LogitsPlace[][]>;
  /**
   * Drops all but the first `extent` positions of a sequence. Returns the number of positions that it holds then:
   * `extent`, or 0 for a model that cannot drop only these tokens. The tokens of an image may have one position: see
   * `extentOf`.
   */
  truncate(sequence: number, extent: number): Promise<number>;
  /** Returns true if a sequence can drop all but its first `extent` positions. */
  reaches(sequence: number, extent: number): Promise<boolean>;
  /**
   * Replaces what a sequence holds with the first `extent` positions of another sequence. Returns the number of positions
   * that it holds then: `extent` or 0. In one cache for all sequences, both share the cells. Else llama.cpp only notes the
   * copy; it moves the bytes of the whole sequence when the next forward pass begins.
   */
  copy(from: number, to: number, extent: number): Promise<number>;
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
   * Loads a file with the state of `extent` positions into an empty sequence. Resolves to false, with the sequence empty,
   * if the file cannot be loaded or there is no room for it. The file has to be whole: where one ends too early, llama.cpp
   * may end the process.
   */
  load(sequence: number, path: string, extent: number): Promise<boolean>;
  /**
   * Returns how many tokens more the sequences can hold together, or less: two that share cells count both. Infinite where
   * each sequence has a cache of its own.
   */
  spare(): number;
  /**
   * Gives the sequences that share one cache more cells, if there is memory for them. Resolves to false if there is not.
   * Logits that were not read are lost. Throws if the context is disposed.
   */
  expand(): Promise<boolean>;
  /**
   * Returns true if a sequence of `length` tokens has no room for another forward pass, and `reserve` could make room.
   */
  lacks(length: number): boolean;
  /**
   * Makes room for `length` tokens and another forward pass in every sequence, if there is memory for it and all
   * sequences are settled. Logits that were not read are lost. Throws if the context is disposed.
   */
  reserve(length: number): Promise<void>;
}

/**
 * Makes the decoder of a context.
 *
 * @param follower is told what the sequences hold, if the context gives hidden rows
 */
export function createDecoder(growing: GrowingContext, memory: Memory, follower?: Follower): Decoder {
  const { contextLength, cacheLength } = growing;
  const { batchSize, sequences, states, unified } = growing.context;
  const cells = createCells(growing, memory);
  // llama.cpp's context allows one call at a time.
  const alone = createTurns();
  const orderOf = createOrder(growing, cells, memory.rewinds);

  return {
    contextLength,
    cacheLength,
    get room() {
      return growing.room;
    },
    batchSize,
    sequences,
    unified,
    outputs: Math.floor(growing.context.outputs / sequences),
    takesBack: memory.recurs ? states : Number.POSITIVE_INFINITY,
    hold: growing.hold,
    logitsAt: (place) => growing.context.logitsAt(place),
    highestAt: (place, count) => growing.context.highestAt(place, count),
    decode: (parts, threads, { arrange, ...options } = {}) =>
      alone(async () => {
        const { order, drops } = orderOf(parts, arrange);
        growing.context.setThreads(threads);
        const follows = follower?.follows ?? false;
        growing.context.hidden?.give(follows);
        cells.notePass([]);
        try {
          const places = await growing.context.decode(order, options);
          cells.notePass(order.map(({ sequence, tokens }) => ({ sequence, tokens: tokens.length })));
          // In other orders llama.cpp gives the rows as it has computed them: in one cache for all, or for one part alone, as given.
          const hidden = unified || order.length === 1 ? growing.context.hidden : undefined;
          if (follows) await follower?.passed(parts, hidden, threads);
          const bySequence = new Map(order.map(({ sequence }, index) => [sequence, places[index]]));
          return parts.map(({ sequence }) => bySequence.get(sequence) ?? []);
        } finally {
          for (const { sequence, extent } of drops) cells.keep(sequence, extent);
        }
      }),
    truncate: (sequence, extent) =>
      alone(async () => {
        const kept = cells.keep(sequence, extent);
        await follower?.truncated(sequence, kept);
        return kept;
      }),
    reaches: (sequence, extent) => alone(async () => cells.reaches(sequence, extent)),
    copy: (from, to, extent) =>
      alone(async () => {
        const copied = cells.copy(from, to);
        const kept = copied < extent ? cells.clear(to) : cells.keep(to, extent);
        await follower?.copied(from, to, kept);
        return kept;
      }),
    settled: cells.settled,
    save: (sequence, path) =>
      alone(async () => {
        if (!cells.settled(sequence)) throw new Error('the next forward pass is to copy this sequence');
        const since = performance.now();
        const bytes = await growing.context.save(sequence, path);
        return { bytes, ms: performance.now() - since };
      }),
    load: (sequence, path, extent) =>
      alone(async () => {
        if (extent > growing.room) return false;
        await follower?.truncated(sequence, 0);
        await growing.context.load(sequence, path);
        if (cells.count(sequence) === extent) return true;
        cells.clear(sequence);
        return false;
      }),
    ...createRoom(growing, cells, alone),
  };
}

/**
 * Makes the function that puts the parts of a pass into order. Parts are padded, and gaps between them filled, where the
 * sequences can drop these tokens after the pass.
 *
 * @param rewinds true if a sequence can drop its latest tokens
 */
function createOrder(growing: GrowingContext, cells: Cells, rewinds: boolean) {
  const { batchSize, sequences } = growing.context;
  const fillerFor = (sequence: number, longest: number): Part | undefined => {
    if (!rewinds || !cells.settled(sequence)) return undefined;
    const at = cells.count(sequence);
    return at < Math.min(longest, growing.room) ? fillerPart(sequence, at) : undefined;
  };
  const mostOf = ({ at, position, rows }: Part) => (rewinds && position === undefined && !rows ? growing.room - at : 0);

  return (parts: Part[], arrange: PassOptions['arrange']): PassOrder =>
    arrange
      ? orderParts(parts, sequences, { spare: batchSize - tokensOf(parts), fillerFor, mostOf }, arrange)
      : { order: parts, drops: [] };
}

/** Makes the functions that tell how much room the sequences have, and give them more. */
function createRoom(
  growing: GrowingContext,
  cells: Cells,
  alone: ReturnType<typeof createTurns>,
): Pick<Decoder, 'spare' | 'expand' | 'lacks' | 'reserve'> {
  const { batchSize, sequences, unified } = growing.context;
  const held = () => sum(Array.from({ length: sequences }, (_, sequence) => cells.count(sequence)));
  const lacks = (length: number) => growing.room < Math.min(length + batchSize, growing.contextLength);

  return {
    spare: () => (unified ? growing.context.room - held() : Number.POSITIVE_INFINITY),
    expand: () =>
      alone(async () => {
        const release = growing.hold();
        try {
          return await growing.expand();
        } finally {
          release();
        }
      }),
    lacks,
    async reserve(length) {
      if (!lacks(length)) return;
      await alone(async () => {
        const release = growing.hold();
        if (cells.allSettled) {
          await growing.grow(length + batchSize);
          cells.notePass([]);
        }
        release();
      });
    },
  };
}
