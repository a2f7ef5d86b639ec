import type { Decoder } from './decoder.ts';
import type { Token } from './llama.ts';

/** One sequence of the context, with the tokens that its KV cache holds. */
export interface Sequence {
  readonly id: number;
  /** The number of tokens that it holds. */
  readonly length: number;
  /** The number of tokens that it can hold now. */
  readonly room: number;
  /** The tokens that it holds. */
  readonly tokens: readonly Token[];
  /** Notes that a forward pass has added these tokens. */
  extend(tokens: Token[]): void;
  /** Drops all tokens but the first `length`. Some models can only drop all; then it holds none. */
  truncate(length: number): Promise<void>;
  /** Takes over the first `length` tokens of another sequence, as this one holds them now. Holds none if that fails. */
  copyFrom(other: Sequence, length: number): Promise<void>;
  /** Takes over what `load` puts into the emptied sequence of this number. Resolves with the tokens that it holds then. */
  adopt(load: (sequence: number) => Promise<readonly Token[]>): Promise<void>;
}

export function createSequence(decoder: Decoder, id: number): Sequence {
  const tokens: Token[] = [];

  return {
    id,
    tokens,
    get room() {
      return decoder.room;
    },
    get length() {
      return tokens.length;
    },
    extend(added) {
      for (const token of added) tokens.push(token);
    },
    // Others may copy from this sequence at any time: what is to go is gone before anything is awaited.
    async truncate(length) {
      // A pass that failed may have left cells of which nothing is known here.
      if (length >= tokens.length && length > 0) return;
      tokens.length = length;
      tokens.length = await decoder.truncate(id, length);
    },
    async copyFrom(other, length) {
      const wanted = other.tokens.slice(0, length);
      tokens.length = 0;
      const held = await decoder.copy(other.id, id, wanted.length);
      for (const token of wanted.slice(0, held)) tokens.push(token);
    },
    async adopt(load) {
      tokens.length = 0;
      await decoder.truncate(id, 0);
      for (const token of await load(id)) tokens.push(token);
    },
  };
}
