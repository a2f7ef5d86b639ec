import { sum } from '../../../utils/sum.ts';
import { createTurns } from '../../../utils/turns.ts';
import type { Place } from './addon-context.ts';
import type { GrowingContext } from './growing-context.ts';
import type { Token } from './llama.ts';
import type { PassShape, Run } from './micro-batches.ts';

/** What one sequence brings into a forward pass. */
export interface Part {
  /** The sequence's number. */
  sequence: number;
  /** The place of its first token in the sequence. */
  at: number;
  tokens: Token[];
  /** The indices of those of `tokens` after which logits are wanted, ascending. */
  logitsAt: number[];
}

/** llama.cpp's context, without the queues that node-llama-cpp puts before it: one forward pass is one call. */
export interface Decoder extends Pick<GrowingContext, 'context' | 'addon' | 'room' | 'contextLength'> {
  /** The most tokens in one forward pass. */
  readonly batchSize: number;
  /** The number of sequences. */
  readonly sequences: number;
  /**
   * Runs one forward pass and returns for each part the places of its logits. There has to be room for each part.
   *
   * @param arrange decides about the order; without it, it is that of the parts
   */
  decode(parts: Part[], threads: number, arrange?: (shape: PassShape) => Run[]): Promise<Place[][]>;
  /**
   * Keeps the first `length` tokens of a sequence that holds more. Returns how many it really holds then: `length` or, where the
   * model can't go back so far, none. Waits for a forward pass that is under way, as `copy` does.
   */
  truncate(sequence: number, length: number): Promise<number>;
  /** Tells if a sequence can drop all but its first `length` tokens. Waits for a forward pass that is under way. */
  reaches(sequence: number, length: number): Promise<boolean>;
  /**
   * Has a sequence hold the first `length` tokens of another one, and nothing else. Returns how many it really holds then: `length` or
   * none. llama.cpp notes the copy; the bytes move at the beginning of the next forward pass, and always those of the whole sequence.
   */
  copy(from: number, to: number, length: number): Promise<number>;
  /** False while bytes of this sequence are to be copied by the next forward pass: nothing else may read or write them until then. */
  settled(sequence: number): boolean;
  /**
   * Writes what a sequence holds to a file. Waits for a forward pass that is under way, as `load` does. Resolves to its bytes, and how
   * long it took without the waiting, in ms. Throws if it can't be written, or not yet because the sequence is not settled.
   */
  save(sequence: number, path: string): Promise<{ bytes: number; ms: number }>;
  /**
   * Loads such a file of so many tokens into a sequence that holds nothing and has room for them. False, with the sequence empty, if
   * that fails.
   */
  load(sequence: number, path: string, length: number): Promise<boolean>;
  /** Whether there is no room yet for so many tokens and a forward pass more, and there could be. */
  lacks(length: number): boolean;
  /**
   * Gives the sequences room for so many tokens and a forward pass more, if there is the memory for it and nothing is unsettled. To be
   * called when all logits are read. Throws if the context is gone.
   */
  reserve(length: number): Promise<void>;
  /** Has the context live at least until the returned function is called. Throws if it is gone. */
  hold(): () => void;
}

/** How a model's cache remembers. */
export interface Memory {
  /** The number of tokens that a model with a sliding window looks back on; null for one that sees all. */
  window: number | null;
  /** True if a sequence can drop its latest tokens, and is as it was before them. */
  rewinds: boolean;
}

export function createDecoder(growing: GrowingContext, { window, rewinds }: Memory): Decoder {
  const { context, contextLength } = growing;
  const guard = Reflect.get(context, '_backendContextDisposeGuard') as {
    createPreventDisposalHandle(): { dispose(): void };
  };
  // llama.cpp's context bears no two calls at once.
  const alone = createTurns();

  let unsettled = new Set<number>();

  const clear = (sequence: number) => {
    growing.addon.disposeSequence(sequence);
    return 0;
  };

  /** Models with a state, and those with a sliding window, have forgotten what lies before their oldest cell. */
  const remembers = (sequence: number, length: number) => {
    const needed = window === null ? length - 1 : Math.max(0, length - window);
    return growing.addon.getSequenceKvCacheMinPosition(sequence) <= needed;
  };

  const keep = (sequence: number, length: number) => {
    if (length === 0 || !remembers(sequence, length)) return clear(sequence);
    return growing.addon.removeTokenCellsFromSequence(sequence, length, -1) ? length : clear(sequence);
  };

  const { batchSize, totalSequences: sequences } = context;

  const lacks = (length: number) => growing.room < Math.min(length + batchSize, contextLength);

  const hold = () => {
    const handle = guard.createPreventDisposalHandle();
    return () => handle.dispose();
  };

  /** A part of one token that is dropped after the pass; undefined if that would change what the sequence holds. */
  const fillerFor = (sequence: number, longest: number): Part | undefined => {
    if (!rewinds || unsettled.has(sequence)) return undefined;
    const at = growing.addon.getSequenceKvCacheMaxPosition(sequence) + 1;
    return at < Math.min(longest, growing.room) ? { sequence, at, tokens: [FILLER], logitsAt: [] } : undefined;
  };

  /** The parts in the order in which they are to be computed, and those that fill gaps between them. */
  const arranged = (parts: Part[], arrange: (shape: PassShape) => Run[]) => {
    // All sequences of a micro-batch are computed at the length of the longest: one that is longer would hold up the others.
    const longest = Math.max(...parts.map(({ at, tokens }) => at + tokens.length));
    const spare = batchSize - sum(parts.map(({ tokens }) => tokens.length));
    const own = new Map(parts.map((part) => [part.sequence, part]));
    const fillers = Array.from({ length: sequences }, (_, sequence) =>
      own.has(sequence) || spare < sequences ? undefined : fillerFor(sequence, longest),
    );
    const runs = arrange({
      widths: fillers.map((_, sequence) => own.get(sequence)?.tokens.length ?? 0),
      mayFill: fillers.map((filler) => filler !== undefined),
    });
    const order = runs.flatMap(({ from, to }) =>
      Array.from({ length: to - from }, (_, index) => own.get(from + index) ?? fillers[from + index] ?? []).flat(),
    );
    return { order, added: order.filter(({ sequence }) => !own.has(sequence)) };
  };

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
    hold,
    decode: (parts, threads, arrange) =>
      alone(async () => {
        const { addon } = growing;
        const { order, added } = arrange ? arranged(parts, arrange) : { order: parts, added: [] };
        addon.initBatch(sum(order.map(({ tokens }) => tokens.length)));
        const places = new Map<number, Place[]>();
        for (const { sequence, at, tokens, logitsAt } of order) {
          const put = addon.addToBatch(sequence, at, Uint32Array.from(tokens), Uint32Array.from(logitsAt));
          places.set(sequence, Array.from(put));
        }
        addon.setThreads(threads);
        unsettled = new Set();
        try {
          await addon.decodeBatch();
        } finally {
          for (const { sequence, at } of added) keep(sequence, at);
        }
        return parts.map(({ sequence }) => places.get(sequence) ?? []);
      }),
    truncate: (sequence, length) => alone(async () => keep(sequence, length)),
    reaches: (sequence, length) => alone(async () => remembers(sequence, length)),
    copy: (from, to, length) =>
      alone(async () => {
        clear(to);
        // The position of the last token that was copied, plus one.
        const copied = (await growing.addon.copySequenceStateFromOtherSequence(to, from)) + 1;
        unsettled.add(from).add(to);
        return copied < length ? clear(to) : keep(to, length);
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
        if (growing.addon.getSequenceKvCacheMaxPosition(sequence) === length - 1) return true;
        clear(sequence);
        return false;
      }),
    lacks,
    async reserve(length) {
      if (!lacks(length)) return;
      await alone(async () => {
        const release = hold();
        if (unsettled.size === 0) await growing.grow(length + batchSize);
        release();
      });
    },
  };
}

/** Any token does: nobody looks at what follows it. */
const FILLER = 0 as Token;

/** The tokens lie beside the state, in Paddock's own words. */
const NO_TOKENS = new Uint32Array(0);
