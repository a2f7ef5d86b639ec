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
  /**
   * In a context of MTP layers: the hidden row of the token before each of `tokens`, one after the other. All parts of a
   * pass have them, or none.
   */
  hidden?: Float32Array;
  /** The indices in `tokens` after which logits are wanted, ascending. */
  logitsAt: number[];
  /** The number of highest logits that are read after each of them; by default none. Looking at more takes longer. */
  highest?: number;
}

/** The parts of a forward pass in the order in which llama.cpp gets them. */
export interface PassOrder {
  order: Part[];
  /** The sequences that have to drop all but their first `extent` tokens after the pass: of fillers and of padded parts. */
  drops: { sequence: number; extent: number }[];
}

/** What a pass may add to the parts of its sequences. */
export interface Additions {
  /** The number of tokens that the batch can hold besides the parts; without one for every sequence there are no fillers. */
  spare: number;
  /**
   * Returns a filler for a sequence without a part that holds fewer than `longest` tokens; undefined if there can be none.
   */
  fillerFor(sequence: number, longest: number): Part | undefined;
  /** Returns the most tokens that a part may have if it is padded; 0 if its sequence can not drop tokens. */
  mostOf(part: Part): number;
}

/** Any token will do: the logits after it are never read. */
export const FILLER = 0;

/** Returns a part of one token that is dropped after the pass. `at` is the number of tokens that the sequence holds. */
export function fillerPart(sequence: number, at: number): Part {
  return { sequence, at, tokens: [FILLER], logitsAt: [] };
}

/**
 * Puts the parts of a forward pass into the order that `arrange` decides on, adds parts that fill the gaps between them, and
 * pads parts whose neighbours are wider.
 */
export function orderParts(
  parts: readonly Part[],
  sequences: number,
  { spare, fillerFor, mostOf }: Additions,
  arrange: (shape: PassShape) => Run[],
): PassOrder {
  // llama.cpp computes all sequences of a micro-batch at the length of the longest: a longer filler would slow the
  // parts down.
  const longest = Math.max(...parts.map(endOf));
  const own = new Map(parts.map((part) => [part.sequence, part]));
  const numbers = Array.from({ length: sequences }, (_, sequence) => sequence);
  const fillers = numbers.map((sequence) =>
    own.has(sequence) || spare < sequences ? undefined : fillerFor(sequence, longest),
  );
  const mostFor = (sequence: number) => {
    const part = own.get(sequence);
    return part ? mostOf(part) : 0;
  };
  const runs = arrange({
    widths: numbers.map((sequence) => own.get(sequence)?.tokens.length ?? 0),
    mayFill: fillers.map((filler) => filler !== undefined),
    padding: { spare, most: numbers.map(mostFor) },
  });
  const drops: PassOrder['drops'] = [];
  const order = runs.flatMap(({ from, to, width = 0 }) =>
    numbers.slice(from, to).flatMap((sequence) => {
      const part = own.get(sequence);
      const filler = part ? undefined : fillers[sequence];
      if (filler) drops.push({ sequence, extent: filler.at });
      if (!part) return filler ?? [];
      if (part.tokens.length >= width) return part;
      drops.push({ sequence, extent: endOf(part) });
      return padded(part, width);
    }),
  );
  return { order, drops };
}

/** Returns the number of tokens that a sequence holds after its part. */
function endOf({ at, tokens }: Part): number {
  return at + tokens.length;
}

/** A token attends to those before it alone, so the logits of a part are the same with tokens after it. */
function padded(part: Part, width: number): Part {
  const { tokens } = part;
  return { ...part, tokens: [...tokens, ...Array.from({ length: width - tokens.length }, () => FILLER)] };
}

/** Returns the number of tokens in a pass. */
export function tokensOf(parts: readonly Part[]): number {
  return sum(parts.map(({ tokens }) => tokens.length));
}
