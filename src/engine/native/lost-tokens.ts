import type { Proposal } from './draw/token-source.ts';
import type { Sequence } from './llama/sequence.ts';
import type { Token } from './llama/tokens/token.ts';

/** The tokens of a sequence that gave up its room in the KV cache. They are evaluated again, without a draw. */
export interface LostTokens {
  /** The number of tokens that are still to be evaluated again; 0 if the sequence has lost none. */
  readonly left: number;
  /** Empties the sequence. Does not reject if that fails. */
  giveUp(): Promise<void>;
  /** Returns the next `count` of them or fewer; undefined if there are none. */
  next(count: number): Proposal | undefined;
  /** Notes that `tokens`, the next of them, were evaluated. */
  regain(tokens: Token[]): void;
}

/** Makes the lost tokens of a sequence that has lost none. */
export function createLostTokens(sequence: Pick<Sequence, 'tokens' | 'length' | 'extend' | 'truncate'>): LostTokens {
  /** All tokens that the sequence held, until it holds them again. */
  let lost: readonly Token[] = [];

  return {
    get left() {
      return lost.length === 0 ? 0 : lost.length - sequence.length;
    },
    async giveUp() {
      // A sequence that gives up its room again holds only the beginning of what it held before.
      if (lost.length === 0) lost = [...sequence.tokens];
      await sequence.truncate(0).catch(() => {});
    },
    next(count) {
      const tokens = lost.slice(sequence.length, sequence.length + count);
      return tokens.length > 0 ? { tokens, logitsAt: [] } : undefined;
    },
    regain(tokens) {
      sequence.extend(tokens);
      if (sequence.length === lost.length) lost = [];
    },
  };
}
