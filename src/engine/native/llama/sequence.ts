import type { Decoder } from './decoder.ts';
import type { Token } from './token.ts';

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
  /** Drops all tokens but the first `length`. Drops all tokens if the model cannot drop only some. */
  truncate(length: number): Promise<void>;
  /** Drops what an aborted forward pass may have left after these tokens. Drops all if the model cannot drop that. */
  undo(): Promise<void>;
  /** Replaces all tokens with the first `length` tokens of another sequence. Holds none if that fails. */
  copyFrom(other: Sequence, length: number): Promise<void>;
  /**
   * Drops all tokens, and has `load` fill the sequence of this number. `load` resolves to the tokens that the sequence
   * then holds.
   */
  adopt(load: (sequence: number) => Promise<readonly Token[]>): Promise<void>;
}

/** Makes the sequence with this number. Its functions throw if the context is disposed. */
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
    // Another sequence may copy from this one at any time, so its list is shortened before anything is awaited.
    async truncate(length) {
      // Dropping all tokens always reaches the decoder: a failed pass may have left cells that the list does not have.
      if (length >= tokens.length && length > 0) return;
      tokens.length = length;
      tokens.length = await decoder.truncate(id, length);
    },
    async undo() {
      tokens.length = await decoder.truncate(id, tokens.length);
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
