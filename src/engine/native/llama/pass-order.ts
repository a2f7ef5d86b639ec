import { sum } from '../../../utils/sum.ts';
import type { MediaRows } from './media/rows.ts';
import type { PassShape, Run } from './micro-batches.ts';
import type { Token } from './tokens/token.ts';

/** The tokens of one sequence in a forward pass. */
export interface Part {
  /** The sequence's number. */
  sequence: number;
  /** The number of tokens before it in the sequence. */
  at: number;
  /**
   * The position of the first token, or that of the piece which `rows` belong to; by default `at`. It is smaller after an
   * image whose tokens have all the same position.
   */
  position?: number;
  /** The embeddings of an image or a recording to evaluate in place of the tokens. The part is alone in its pass. */
  rows?: MediaRows;
  tokens: Token[];
  /** The indices in `tokens` after which logits are wanted, ascending. */
  logitsAt: number[];
  /** The number of highest logits that are read after each of them; by default none. Looking at more takes longer. */
  highest?: number;
}

/** The parts of a forward pass in the order in which llama.cpp gets them. */
export interface PassOrder {
  order: Part[];
  /** The parts of `order` that only fill gaps. Their tokens have to be dropped after the pass. */
  fillers: Part[];
}

/** Any token will do: the logits after it are never read. */
export const FILLER = 0;

/** Returns a part of one token that is dropped after the pass. `at` is the number of tokens that the sequence holds. */
export function fillerPart(sequence: number, at: number): Part {
  return { sequence, at, tokens: [FILLER], logitsAt: [] };
}

/**
 * Puts the parts of a forward pass into the order that `arrange` decides on, and adds parts that fill the gaps between
 * them.
 *
 * @param spare the number of tokens that the batch can hold besides the parts; without one for every sequence there are
 *   no fillers
 * @param fillerFor returns a filler for a sequence without a part that holds fewer than `longest` tokens; undefined if
 *   there can be none
 */
export function orderParts(
  parts: readonly Part[],
  sequences: number,
  spare: number,
  fillerFor: (sequence: number, longest: number) => Part | undefined,
  arrange: (shape: PassShape) => Run[],
): PassOrder {
  // llama.cpp computes all sequences of a micro-batch at the length of the longest: a longer filler would slow the
  // parts down.
  const longest = Math.max(...parts.map(({ at, tokens }) => at + tokens.length));
  const own = new Map(parts.map((part) => [part.sequence, part]));
  const fillers = Array.from({ length: sequences }, (_, sequence) =>
    own.has(sequence) || spare < sequences ? undefined : fillerFor(sequence, longest),
  );
  const runs = arrange({
    widths: fillers.map((_, sequence) => own.get(sequence)?.tokens.length ?? 0),
    mayFill: fillers.map((filler) => filler !== undefined),
  });
  const order = runs.flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, index) => own.get(from + index) ?? fillers[from + index] ?? []).flat(),
  );
  return { order, fillers: order.filter(({ sequence }) => !own.has(sequence)) };
}

/** Returns the number of tokens in a pass. */
export function tokensOf(parts: readonly Part[]): number {
  return sum(parts.map(({ tokens }) => tokens.length));
}
