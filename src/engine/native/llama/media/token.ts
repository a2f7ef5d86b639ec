import type { Token } from '../tokens/token.ts';

// An image or a recording takes the place of many tokens in a sequence. These tokens have numbers above those of every
// vocabulary, made from a hash of the media: so two prompts share their first tokens only as far as they show the same
// media, and the lists, hashes and copies of the prefix cache need to know nothing else of media. The numbers also tell
// what a sequence has to know of them, so that it is known of tokens loaded from a copy, too.

/** Set in the numbers of all tokens of media. A number has 32 bits without a sign. */
const MEDIA = 2 ** 31;
/** Set for the first token of a piece in which all tokens have the same position. The bits below tell the positions. */
const OPENS = 2 ** 30;
/** Set if the token can only be dropped with the token before it. */
const BOUND = 2 ** 29;
/** Set if the token has the position of the token before it. */
const STILL = 2 ** 28;

const POSITION_BITS = 11;
const OPENING_HASH_BITS = 19;
const HASH_BITS = 28;

/** The most positions that a piece can take in a sequence. */
export const MOST_POSITIONS = 2 ** POSITION_BITS - 1;

/** How the tokens of a piece of media lie in a sequence. */
export type MediaLayout =
  /** Each token has the next position. A sequence can be cut between any two of them. */
  | { kind: 'line' }
  /** Each token has the next position, but all tokens have to be evaluated in one pass, and dropped together. */
  | { kind: 'block' }
  /** All tokens have the same position (M-RoPE), and the next text begins `positions` after it. */
  | { kind: 'grid'; positions: number };

/** True for a token of a vocabulary, false for one of an image or a recording. */
export function isTextToken(token: Token): boolean {
  return token < MEDIA;
}

/**
 * Returns the tokens of a piece of media.
 *
 * @param seed numbers of 32 bits that only this piece has
 * @param count the number of tokens
 */
export function mediaTokens(seed: Uint32Array, count: number, layout: MediaLayout): Token[] {
  return Array.from({ length: count }, (_, index) => {
    const hash = mix((seed[index % seed.length] ?? 0) ^ Math.imul(index + 1, 0x9e3779b1));
    if (layout.kind === 'grid' && index === 0)
      return MEDIA + OPENS + layout.positions * 2 ** OPENING_HASH_BITS + lowBits(hash, OPENING_HASH_BITS);
    const bound = layout.kind === 'line' || index === 0 ? 0 : BOUND;
    return MEDIA + bound + (layout.kind === 'grid' ? STILL : 0) + lowBits(hash, HASH_BITS);
  });
}

/** Returns the position of a token that follows the first `length` of these tokens. */
export function positionAfter(tokens: readonly Token[], length = tokens.length): number {
  let position = 0;
  for (let index = 0; index < length; index++) position += advanceOf(tokens[index] ?? 0);
  return position;
}

/** Returns the number of positions from the beginning to that of the last of the first `length` tokens, inclusive. */
export function extentOf(tokens: readonly Token[], length = tokens.length): number {
  const last = openPiece(tokens, length);
  return last < length ? positionAfter(tokens, last) + 1 : positionAfter(tokens, length);
}

/** Returns the largest number of first tokens, at most `length`, after which a sequence can be cut. */
export function cuttableLength(tokens: readonly Token[], length: number): number {
  let cut = length;
  while (cut > 0 && cut < tokens.length && isBound(tokens[cut] ?? 0)) cut -= 1;
  return cut;
}

/**
 * Returns the index of the first token of the piece that the first `length` tokens end with, if all tokens of that piece
 * have the same position; `length` if there is no such piece.
 */
export function openPiece(tokens: readonly Token[], length = tokens.length): number {
  let start = length;
  while (start > 0 && has(tokens[start - 1] ?? 0, STILL) && !opens(tokens[start - 1] ?? 0)) start -= 1;
  return start > 0 && opens(tokens[start - 1] ?? 0) ? start - 1 : length;
}

function advanceOf(token: Token): number {
  if (isTextToken(token)) return 1;
  if (opens(token)) return Math.floor(token / 2 ** OPENING_HASH_BITS) % 2 ** POSITION_BITS;
  return has(token, STILL) ? 0 : 1;
}

function opens(token: Token): boolean {
  return has(token, OPENS);
}

function isBound(token: Token): boolean {
  return !opens(token) && has(token, BOUND);
}

function has(token: Token, bit: number): boolean {
  return !isTextToken(token) && Math.floor(token / bit) % 2 === 1;
}

function lowBits(value: number, bits: number): number {
  return (value >>> 0) % 2 ** bits;
}

/** Spreads the bits of a number. */
function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
