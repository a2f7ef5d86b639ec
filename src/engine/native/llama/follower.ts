import type { HiddenRows } from './hidden/hidden-rows.ts';
import type { Part } from './pass-order.ts';

/**
 * Is told what the sequences of a decoder hold, so that another context can hold the same. The decoder waits for each call
 * before its next one. None of them may reject.
 */
export interface Follower {
  /** False while passes need not be followed. They then give no hidden rows, and take less time. */
  readonly follows: boolean;
  /**
   * Follows a forward pass over these parts, in this order.
   *
   * @param hidden the pass's hidden rows; undefined if it is unknown which is whose
   */
  passed(parts: readonly Part[], hidden: HiddenRows | undefined, threads: number): Promise<void>;
  /** Follows a sequence that has dropped all but its first `extent` positions. */
  truncated(sequence: number, extent: number): Promise<void>;
  /** Follows a sequence that now holds the first `extent` positions of another one, and nothing else. */
  copied(from: number, to: number, extent: number): Promise<void>;
}
