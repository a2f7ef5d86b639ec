import { type Range, UNICODE } from '../gbnf/ranges.ts';

/**
 * A set of texts, as a state of an automaton: the texts that may still come. Equal terms of one pool are the same
 * object. `nullable` is true if the set has the empty text, so the text may end here.
 */
export type TextTerm = { id: number; nullable: boolean } & TermShape;

/** A term for numbers: see `multiples.ts`. */
export interface MultipleShape {
  kind: 'multiple';
  multiples: Multiples;
  ahead: number;
  fraction: number;
}

type TermShape =
  | { kind: 'characters'; ranges: readonly Range[] }
  | { kind: 'empty' }
  | { kind: 'sequence'; first: TextTerm; rest: TextTerm }
  | { kind: 'repeat'; item: TextTerm; min: number; max: number }
  | { kind: 'or' | 'and'; items: readonly TextTerm[] }
  | { kind: 'not'; item: TextTerm }
  | MultipleShape;

/** The decimal numbers that are multiples of `step` / 10^`digits`. */
export interface Multiples {
  step: number;
  digits: number;
}

/** The terms that have been made so far. */
export interface TermPool {
  /** No text at all. */
  never: TextTerm;
  /** The empty text alone. */
  empty: TextTerm;
  /** Every text of one character. */
  character: TextTerm;
  /** Every text. */
  any: TextTerm;
  /**
   * Returns the term with this key, which says all of its shape, or makes it. Throws `TooComplex` if there are too
   * many.
   */
  make(key: string, nullable: boolean, shape: TermShape): TextTerm;
  /** Counts steps of work, one by default. Throws `TooComplex` after too many. */
  spend(count?: number): void;
}

/** Makes an empty pool. `spend` is called for each step of work and may throw `TooComplex`. */
export function createTermPool(spend: (count?: number) => void): TermPool {
  const known = new Map<string, TextTerm>();

  function make(key: string, nullable: boolean, shape: TermShape): TextTerm {
    const same = known.get(key);
    if (same) return same;
    spend();
    const term: TextTerm = { id: known.size, nullable, ...shape };
    known.set(key, term);
    return term;
  }

  const never = make('never', false, { kind: 'or', items: [] });
  const empty = make('empty', true, { kind: 'empty' });
  const character = make(charactersKey(UNICODE), false, { kind: 'characters', ranges: UNICODE });
  const any = make(repeatKey(character, 0, Number.POSITIVE_INFINITY), true, {
    kind: 'repeat',
    item: character,
    min: 0,
    max: Number.POSITIVE_INFINITY,
  });
  return { never, empty, character, any, make, spend };
}

/** Returns the texts of one character out of `ranges`. */
export function charactersTerm({ never, make }: TermPool, ranges: readonly Range[]): TextTerm {
  return ranges.length === 0 ? never : make(charactersKey(ranges), false, { kind: 'characters', ranges });
}

/** Returns the texts of `first`, each followed by a text of `rest`. */
export function sequenceTerm(pool: TermPool, first: TextTerm, rest: TextTerm): TextTerm {
  const { never, empty, any, make } = pool;
  if (first === never || rest === never) return never;
  if (first === empty) return rest;
  if (rest === empty) return first;
  if (first === any && rest === any) return any;
  if (first.kind === 'sequence') return sequenceTerm(pool, first.first, sequenceTerm(pool, first.rest, rest));
  return make(`s${first.id},${rest.id}`, first.nullable && rest.nullable, { kind: 'sequence', first, rest });
}

/** Returns the texts of `min` to `max` texts of `item`, one after the other. */
export function repeatTerm({ never, empty, make }: TermPool, item: TextTerm, min: number, max: number): TextTerm {
  if (min > max) return never;
  if (max === 0 || item === empty) return empty;
  if (item === never) return min === 0 ? empty : never;
  if (min === 1 && max === 1) return item;
  const least = item.nullable ? 0 : min;
  return make(repeatKey(item, least, max), least === 0, { kind: 'repeat', item, min: least, max });
}

/** Returns the texts that one of `items` has, or more than one. */
export function orTerm({ never, any, make }: TermPool, items: readonly TextTerm[]): TextTerm {
  const flat = unique(items.flatMap((item) => (item.kind === 'or' ? item.items : [item])));
  if (flat.includes(any)) return any;
  const [only] = flat;
  if (!only) return never;
  if (flat.length === 1) return only;
  const nullable = flat.some((item) => item.nullable);
  return make(`o${flat.map(({ id }) => id)}`, nullable, { kind: 'or', items: flat });
}

/** Returns the texts that all `items` have. */
export function andTerm({ never, any, make }: TermPool, items: readonly TextTerm[]): TextTerm {
  const all = items.flatMap((item) => (item.kind === 'and' ? item.items : [item]));
  const flat = unique(all).filter((item) => item !== any);
  if (flat.includes(never)) return never;
  const [only] = flat;
  if (!only) return any;
  if (flat.length === 1) return only;
  const nullable = flat.every((item) => item.nullable);
  return make(`a${flat.map(({ id }) => id)}`, nullable, { kind: 'and', items: flat });
}

/** Returns all texts that `item` does not have. */
export function notTerm({ never, any, make }: TermPool, item: TextTerm): TextTerm {
  if (item.kind === 'not') return item.item;
  if (item === never) return any;
  return item === any ? never : make(`n${item.id}`, !item.nullable, { kind: 'not', item });
}

function charactersKey(ranges: readonly Range[]): string {
  return `c${JSON.stringify(ranges)}`;
}

function repeatKey({ id }: TextTerm, min: number, max: number): string {
  return `r${id},${min},${max}`;
}

function unique(items: readonly TextTerm[]): TextTerm[] {
  return [...new Set(items)].sort((some, other) => some.id - other.id);
}
