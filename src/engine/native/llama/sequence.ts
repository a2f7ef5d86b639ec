import type { Decoder } from './decoder.ts';
import { cuttableLength, extentOf, openPiece, positionAfter } from './media/token.ts';
import type { Token } from './tokens/token.ts';

/** One sequence of the context, with the tokens that its KV cache holds. */
export interface Sequence {
  readonly id: number;
  /** The number of tokens that it holds. */
  readonly length: number;
  /** The number of tokens that it can hold now. */
  readonly room: number;
  /** The tokens that it holds. */
  readonly tokens: readonly Token[];
  /** Returns the position of a token that follows the first `length` tokens. */
  positionAfter(length: number): number;
  /** Notes that a forward pass has added these tokens. */
  extend(tokens: Token[]): void;
  /**
   * Drops all tokens but the first `length`, and the whole image or recording if it cannot be cut there. Drops all tokens
   * if the model cannot drop only some.
   */
  truncate(length: number): Promise<void>;
  /**
   * Drops what an aborted forward pass may have left after these tokens, and the beginning of an image that the pass
   * went on with. Drops all if the model cannot drop that.
   */
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
  /** The position of the next token. */
  let position = 0;

  const hold = (held: readonly Token[]) => {
    tokens.length = 0;
    for (const token of held) tokens.push(token);
    position = positionAfter(tokens);
  };
  // Another sequence may copy from this one at any time, so its list is shortened before anything is awaited.
  const cut = async (length: number) => {
    const extent = extentOf(tokens, length);
    tokens.length = length;
    position = positionAfter(tokens);
    if ((await decoder.truncate(id, extent)) < extent) hold([]);
  };

  return {
    id,
    tokens,
    get room() {
      return decoder.room;
    },
    get length() {
      return tokens.length;
    },
    positionAfter: (length) => (length === tokens.length ? position : positionAfter(tokens, length)),
    extend(added) {
      for (const token of added) tokens.push(token);
      position += positionAfter(added);
    },
    async truncate(length) {
      // Dropping all tokens always reaches the decoder: a failed pass may have left cells that the list does not have.
      if (length >= tokens.length && length > 0) return;
      await cut(cuttableLength(tokens, length));
    },
    undo: () => cut(openPiece(tokens)),
    async copyFrom(other, length) {
      // A pass may be adding to the image that the other sequence ends with, whose tokens cannot be told apart.
      const ends = length >= other.tokens.length;
      const wanted = other.tokens.slice(0, ends ? openPiece(other.tokens) : cuttableLength(other.tokens, length));
      hold([]);
      const extent = extentOf(wanted);
      if ((await decoder.copy(other.id, id, extent)) === extent) hold(wanted);
    },
    async adopt(load) {
      hold([]);
      await decoder.truncate(id, 0);
      hold(await load(id));
    },
  };
}
