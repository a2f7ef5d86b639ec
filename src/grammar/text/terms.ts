import { createBoundaries, derivative } from './derivative.ts';
import { multiplesTerm } from './multiples.ts';
import {
  andTerm,
  createTermPool,
  type Multiples,
  notTerm,
  orTerm,
  repeatTerm,
  sequenceTerm,
  type TextTerm,
} from './term.ts';
import type { TextTree } from './text-tree.ts';
import { treeTerm } from './tree-term.ts';

/**
 * Makes terms. Their derivatives lead from state to state of an automaton. Each function throws `TooComplex` after too
 * many steps.
 */
export interface Terms {
  /** No text at all. */
  never: TextTerm;
  /** Every text. */
  any: TextTerm;
  /** Returns the texts of a tree. Throws `TooComplex` for a `start` or a `look` that no term can express. */
  ofTree(tree: TextTree): TextTerm;
  /** Returns the texts of `min` to `max` characters. */
  ofLength(min: number, max: number): TextTerm;
  /** Returns the numbers without exponent that are multiples. The term also has some texts that are no numbers. */
  ofMultiples(multiples: Multiples): TextTerm;
  /** Returns the texts of `first`, each followed by a text of `rest`. */
  sequence(first: TextTerm, rest: TextTerm): TextTerm;
  or(items: TextTerm[]): TextTerm;
  and(items: TextTerm[]): TextTerm;
  not(item: TextTerm): TextTerm;
  /** Returns the texts that may follow the character. */
  derivative(term: TextTerm, codePoint: number): TextTerm;
  /** Returns the first code point of each run of code points for which the derivatives of the term are the same. */
  boundaries(term: TextTerm): ReadonlySet<number>;
}

/**
 * Makes terms of one pool, in which equal terms are the same object. `spend` is called for each step of work and may
 * throw `TooComplex`.
 */
export function createTerms(spend: (count?: number) => void): Terms {
  const pool = createTermPool(spend);
  return {
    never: pool.never,
    any: pool.any,
    ofTree: (tree) => treeTerm(pool, tree),
    ofLength: (min, max) => repeatTerm(pool, pool.character, min, max),
    ofMultiples: (multiples) => multiplesTerm(pool, multiples),
    sequence: (first, rest) => sequenceTerm(pool, first, rest),
    or: (items) => orTerm(pool, items),
    and: (items) => andTerm(pool, items),
    not: (item) => notTerm(pool, item),
    derivative: (term, codePoint) => derivative(pool, term, codePoint),
    boundaries: createBoundaries(pool),
  };
}
