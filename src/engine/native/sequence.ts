import type { Decoder } from './decoder.ts';
import type { Token } from './llama.ts';

/** One sequence of the context, with the tokens that its KV cache holds. */
export interface Sequence {
  readonly id: number;
  /** The number of tokens that it holds. */
  readonly length: number;
  /** The number of tokens that it can hold. */
  readonly contextLength: number;
  /** The tokens that it holds. */
  readonly tokens: readonly Token[];
  /** Notes that a forward pass has added these tokens. */
  extend(tokens: Token[]): void;
  /** Counts how many of its first tokens these begin with. */
  shared(tokens: Token[]): number;
  /** Drops all tokens but the first `length`. Some models can only drop all; then it holds none. */
  truncate(length: number): Promise<void>;
  /** Takes over the first `length` tokens of another sequence. Holds none if that fails. */
  copyFrom(other: Sequence, length: number): Promise<void>;
}

export function createSequence(decoder: Decoder, id: number): Sequence {
  const tokens: Token[] = [];

  const truncate = async (length: number) => {
    // A pass that failed may have left cells of which nothing is known here.
    if (length < tokens.length || length === 0) tokens.length = await decoder.truncate(id, length);
  };

  return {
    id,
    tokens,
    contextLength: decoder.contextLength,
    get length() {
      return tokens.length;
    },
    extend(added) {
      for (const token of added) tokens.push(token);
    },
    shared(others) {
      const different = tokens.findIndex((token, index) => token !== others[index]);
      return different === -1 ? tokens.length : different;
    },
    truncate,
    async copyFrom(other, length) {
      await truncate(0);
      const wanted = other.tokens.slice(0, length);
      const copied = await decoder.copy(other.id, id);
      const kept = await decoder.truncate(id, copied < wanted.length ? 0 : wanted.length);
      if (kept > 0) for (const token of wanted) tokens.push(token);
    },
  };
}
