import type { LlamaContext } from './context.ts';

/** How a model's cache remembers. */
export interface Memory {
  /**
   * The number of tokens that the attention of a model with a sliding window reaches back; null for a model without a
   * window.
   */
  window: number | null;
  /** True if a sequence can drop its latest tokens, and is then as it was before them. */
  rewinds: boolean;
}

/** The cells of a context's KV cache. No forward pass may be under way. */
export interface Cells {
  /** The number of tokens that a sequence holds. */
  count(sequence: number): number;
  /** Drops all tokens of a sequence. Returns 0, the number of tokens that it holds then. */
  clear(sequence: number): number;
  /** Returns true if a sequence can drop all but its first `length` tokens. */
  reaches(sequence: number, length: number): boolean;
  /**
   * Drops all but the first `length` tokens of a sequence. Returns the number that it holds then: `length`, or 0 if it
   * cannot do so.
   */
  keep(sequence: number, length: number): number;
}

/** @param growing its `context` is another one after it has grown */
export function createCells(
  growing: { readonly context: Pick<LlamaContext, 'positions' | 'remove'> },
  { window }: Pick<Memory, 'window'>,
): Cells {
  const clear = (sequence: number) => {
    growing.context.remove(sequence, 0);
    return 0;
  };
  /** A model with recurrent state or a sliding window has forgotten all that is before its oldest cell. */
  const reaches = (sequence: number, length: number) => {
    const needed = window === null ? length - 1 : Math.max(0, length - window);
    return growing.context.positions(sequence).first <= needed;
  };
  return {
    clear,
    reaches,
    count: (sequence) => growing.context.positions(sequence).last + 1,
    keep(sequence, length) {
      if (length === 0 || !reaches(sequence, length)) return clear(sequence);
      return growing.context.remove(sequence, length) ? length : clear(sequence);
    },
  };
}
