import type { Tier } from '../../node/copy-messages.ts';
import type { Token } from '../llama/llama.ts';
import type { Prefix } from './prefix.ts';

export type { Tier };

/** Fewer tokens than this are evaluated as fast as they are loaded. */
export const LEAST_TOKENS = 64;

/** A copy of what a slot held once, with the beginning of a prompt. */
export interface FoundCopy {
  tier: Tier;
  /** The tokens that it has in common with the prompt. */
  length: number;
  /** How long loading it takes, in ms. */
  ms: number;
  /**
   * Loads it into a sequence that is settled and holds nothing. Resolves to the tokens that the sequence holds then, at least `length`,
   * or to none if it could not be loaded: such a copy is not found again. Never rejects.
   */
  load(sequence: number): Promise<readonly Token[]>;
}

/** Keeps what slots give up, and what they can't go back to. */
export interface Copies {
  /** Finds the copy that has most in common with a prompt; null if none has anything. */
  find(wanted: Prefix): FoundCopy | null;
  /** Tells if a copy of this would be worth its while. */
  wants(held: Prefix): boolean;
  /**
   * Is told that a slot is about to lose what it holds after its first `kept` tokens. Resolves when the slot's cells may be overwritten.
   * If the signal aborts, the slot loses nothing, and no copy is begun. Never rejects.
   */
  keep(held: Prefix, sequence: number, kept: number, signal?: AbortSignal): Promise<void>;
}

/** Keeps nothing. */
export const NO_COPIES: Copies = { find: () => null, wants: () => false, keep: async () => {} };
