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
  /** True for a model with a recurrent state: it can drop tokens of its latest pass at most, as many as it keeps states. */
  recurs: boolean;
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
  /**
   * Notes how many tokens each sequence had in the pass that has just ended; none for a pass that begins or has failed. From then on
   * all sequences are settled.
   */
  notePass(parts: readonly { sequence: number; tokens: number }[]): void;
  /**
   * Replaces what a sequence holds with what another one holds. Returns the number of tokens that it holds then: none if the
   * next pass is to take the other one's recurrent state back, since llama.cpp would copy the state before that.
   */
  copy(from: number, to: number): number;
  /** False while the next pass is to copy bytes from or to this sequence. Sequences that share cells are always settled. */
  settled(sequence: number): boolean;
  /** True if all sequences are settled. */
  readonly allSettled: boolean;
}

/** @param growing its `context` is another one after it has grown */
export function createCells(
  growing: { readonly context: Pick<LlamaContext, 'positions' | 'remove' | 'copy' | 'states' | 'unified'> },
  { window }: Pick<Memory, 'window'>,
): Cells {
  /** The tokens that a sequence can drop from its recurrent state. The states before other tokens are gone. */
  let droppable = new Map<number, number>();
  /** The sequences whose state the next pass takes back. llama.cpp notes one step back only. */
  const takenBack = new Set<number>();
  /** The sequences that the next pass is to copy from or to. */
  const unsettled = new Set<number>();
  const clear = (sequence: number) => {
    droppable.delete(sequence);
    takenBack.delete(sequence);
    growing.context.remove(sequence, 0);
    return 0;
  };
  /** A model with recurrent state or a sliding window has forgotten all that is before its oldest cell. */
  const reaches = (sequence: number, length: number) => {
    const { first, last } = growing.context.positions(sequence);
    const needed = window === null ? length - 1 : Math.max(0, length - window);
    return first <= needed || last + 1 - length <= (droppable.get(sequence) ?? 0);
  };
  const count = (sequence: number) => growing.context.positions(sequence).last + 1;
  return {
    clear,
    reaches,
    count,
    keep(sequence, length) {
      if (length === 0 || !reaches(sequence, length)) return clear(sequence);
      const isShorter = length <= growing.context.positions(sequence).last;
      if (!growing.context.remove(sequence, length)) return clear(sequence);
      if (isShorter && droppable.delete(sequence)) takenBack.add(sequence);
      return length;
    },
    notePass(parts) {
      unsettled.clear();
      const { states } = growing.context;
      const most = ({ tokens }: { tokens: number }) => Math.min(states, tokens - 1);
      droppable = new Map(parts.map((part) => [part.sequence, most(part)]));
      for (const { sequence } of parts) takenBack.delete(sequence);
    },
    copy(from, to) {
      clear(to);
      if (takenBack.has(from)) return 0;
      // Both have one state until the next pass.
      droppable.delete(from);
      growing.context.copy(from, to);
      const copied = count(to);
      if (copied > 0 && !growing.context.unified) unsettled.add(from).add(to);
      return copied;
    },
    settled: (sequence) => !unsettled.has(sequence),
    get allSettled() {
      return unsettled.size === 0;
    },
  };
}
