import type { Tier } from '../../node/copy-messages.ts';
import type { Token } from '../llama/tokens/token.ts';
import type { Prefix } from './prefix.ts';

export type { Tier };

/** Evaluating fewer tokens than this takes no longer than loading them. */
export const LEAST_TOKENS = 64;

/** A copy of the tokens of a slot that begins like a prompt. */
export interface FoundCopy {
  tier: Tier;
  /** The number of first tokens that it has in common with the prompt. */
  length: number;
  /** The time to load it, in ms. */
  ms: number;
  /**
   * Loads it into an empty, settled sequence. Resolves to the tokens that the sequence then holds, at least `length` of
   * them. Resolves to an empty list if loading fails; the copy is not found again after that. Never rejects.
   */
  load(sequence: number): Promise<readonly Token[]>;
}

/** Copies of slots, made before their tokens are overwritten. */
export interface Copies {
  /** Returns the copy that has most first tokens in common with a prompt; null if no copy has any. */
  find(wanted: Prefix): FoundCopy | null;
  /** Returns true if a copy of these tokens is worth the time to write it. */
  wants(held: Prefix): boolean;
  /**
   * Copies a slot that is about to lose all but its first `kept` tokens, if that is worth the time. Resolves when the
   * slot's cells may be overwritten. An abort of the signal means that the slot keeps its tokens: no copy is begun
   * after it. Never rejects.
   */
  keep(held: Prefix, sequence: number, kept: number, signal?: AbortSignal): Promise<void>;
}

/** Makes no copies. */
export const NO_COPIES: Copies = { find: () => null, wants: () => false, keep: async () => {} };
