import { TooComplex } from '../budget.ts';
import { contains, type Range, UNICODE } from '../gbnf/ranges.ts';
import type { TextTree } from './text-tree.ts';

/** A set of texts that is still to come. Equal terms are the same object. `nullable` is true if the text may end here. */
export type Term = { id: number; nullable: boolean } & TermShape;

type TermShape =
  | { kind: 'characters'; ranges: readonly Range[] }
  | { kind: 'empty' }
  | { kind: 'sequence'; first: Term; rest: Term }
  | { kind: 'repeat'; item: Term; min: number; max: number }
  | { kind: 'or' | 'and'; items: readonly Term[] }
  | { kind: 'not'; item: Term }
  | { kind: 'multiple'; multiples: Multiples; ahead: number; fraction: number };

/** The decimal numbers that are multiples of `step` / 10^`digits`. */
export interface Multiples {
  step: number;
  digits: number;
}

/** Makes terms. Their derivatives lead from state to state of an automaton. */
export interface Terms {
  never: Term;
  any: Term;
  /** Throws `TooComplex` for a `start` or a `look` where no term can say it. */
  ofTree(tree: TextTree): Term;
  /** Texts of `min` to `max` characters. */
  ofLength(min: number, max: number): Term;
  /** Numbers without exponent that are multiples. The term also holds some texts that are no numbers. */
  ofMultiples(multiples: Multiples): Term;
  or(items: Term[]): Term;
  and(items: Term[]): Term;
  not(item: Term): Term;
  /** What may follow behind the character. */
  derivative(term: Term, codePoint: number): Term;
  /** The first code points of runs that a term does not tell apart. */
  boundaries(term: Term): ReadonlySet<number>;
}

/** `spend` is called for each step of work and may throw `TooComplex`. */
export function createTerms(spend: (count?: number) => void): Terms {
  const known = new Map<string, Term>();
  const borders = new Map<Term, ReadonlySet<number>>();

  function make(key: string, nullable: boolean, shape: TermShape): Term {
    const same = known.get(key);
    if (same) return same;
    spend();
    const term: Term = { id: known.size, nullable, ...shape };
    known.set(key, term);
    return term;
  }

  const never = make('never', false, { kind: 'or', items: [] });
  const empty = make('empty', true, { kind: 'empty' });
  const character = characters(UNICODE);
  const any = repeat(character, 0, Number.POSITIVE_INFINITY);

  function characters(ranges: readonly Range[]): Term {
    return ranges.length === 0 ? never : make(`c${JSON.stringify(ranges)}`, false, { kind: 'characters', ranges });
  }

  function sequence(first: Term, rest: Term): Term {
    if (first === never || rest === never) return never;
    if (first === empty) return rest;
    if (rest === empty) return first;
    if (first === any && rest === any) return any;
    if (first.kind === 'sequence') return sequence(first.first, sequence(first.rest, rest));
    return make(`s${first.id},${rest.id}`, first.nullable && rest.nullable, { kind: 'sequence', first, rest });
  }

  function repeat(item: Term, min: number, max: number): Term {
    if (min > max) return never;
    if (max === 0 || item === empty) return empty;
    if (item === never) return min === 0 ? empty : never;
    if (min === 1 && max === 1) return item;
    const least = item.nullable ? 0 : min;
    return make(`r${item.id},${least},${max}`, least === 0, { kind: 'repeat', item, min: least, max });
  }

  function or(items: Term[]): Term {
    const flat = unique(items.flatMap((item) => (item.kind === 'or' ? item.items : [item])));
    if (flat.includes(any)) return any;
    const [only] = flat;
    if (flat.length === 1 && only) return only;
    return flat.length === 0
      ? never
      : make(
          `o${flat.map(({ id }) => id)}`,
          flat.some(({ nullable }) => nullable),
          { kind: 'or', items: flat },
        );
  }

  function and(items: Term[]): Term {
    const flat = unique(items.flatMap((item) => (item.kind === 'and' ? item.items : [item]))).filter(
      (item) => item !== any,
    );
    if (flat.includes(never)) return never;
    const [only] = flat;
    if (flat.length === 1 && only) return only;
    if (flat.length === 0) return any;
    return make(
      `a${flat.map(({ id }) => id)}`,
      flat.every(({ nullable }) => nullable),
      { kind: 'and', items: flat },
    );
  }

  function not(item: Term): Term {
    if (item.kind === 'not') return item.item;
    if (item === never) return any;
    return item === any ? never : make(`n${item.id}`, !item.nullable, { kind: 'not', item });
  }

  /**
   * `ahead` is ten times the remainder so far: all that the next digit depends on. `fraction` counts the digits behind
   * the point; -1 stands for no point yet.
   */
  function multiple(multiples: Multiples, remainder: number, fraction: number): Term {
    const { step, digits } = multiples;
    const ahead = (remainder * 10) % step;
    const isWhole = (remainder * powerModulo(10, digits - Math.max(fraction, 0), step)) % step === 0;
    const key = `m${step},${digits},${ahead},${fraction},${isWhole}`;
    return make(key, isWhole, { kind: 'multiple', multiples, ahead, fraction });
  }

  function afterDigit({ multiples, ahead, fraction }: Extract<Term, { kind: 'multiple' }>, codePoint: number): Term {
    if (codePoint === POINT) {
      return fraction === -1 && multiples.digits > 0 ? pointed(multiples, ahead) : never;
    }
    const digit = codePoint - ZERO;
    if (digit < 0 || digit > 9 || fraction === multiples.digits) return never;
    return multiple(multiples, (ahead + digit) % multiples.step, fraction === -1 ? -1 : fraction + 1);
  }

  function pointed(multiples: Multiples, ahead: number): Term {
    const key = `p${multiples.step},${multiples.digits},${ahead}`;
    return make(key, false, { kind: 'multiple', multiples, ahead, fraction: 0 });
  }

  function ofTree(tree: TextTree): Term {
    if (treeSize(tree) > MAX_TREE) throw new TooComplex();
    return before(tree, empty, true);
  }

  /** The term of a tree in front of another term. A look ahead sees what is behind the tree, too. */
  function before(tree: TextTree, rest: Term, isStart: boolean): Term {
    spend();
    switch (tree.kind) {
      case 'characters':
        return sequence(characters(tree.ranges), rest);
      case 'sequence': {
        const first = tree.items.findIndex((item) => !isAssertion(item));
        const lastAtStart = first === -1 ? tree.items.length : first;
        return tree.items.reduceRight(
          (behind, item, index) => before(item, behind, isStart && index <= lastAtStart),
          rest,
        );
      }
      case 'choice':
        return or(tree.options.map((option) => before(option, rest, isStart)));
      case 'repeat': {
        if (isPlain(tree.item)) return sequence(repeat(before(tree.item, empty, false), tree.min, tree.max), rest);
        if (tree.max !== 1) throw new TooComplex();
        const here = before(tree.item, rest, isStart);
        return tree.min === 0 ? or([here, rest]) : here;
      }
      case 'start':
        if (!isStart) throw new TooComplex();
        return rest;
      case 'end':
        return and([empty, rest]);
      case 'look': {
        const ahead = before(tree.item, any, isStart);
        return and([tree.negative ? not(ahead) : ahead, rest]);
      }
    }
  }

  function derive(term: Term, codePoint: number): Term {
    spend();
    switch (term.kind) {
      case 'characters':
        spend(term.ranges.length / RANGES_A_STEP);
        return contains(term.ranges, codePoint) ? empty : never;
      case 'empty':
        return never;
      case 'sequence': {
        const here = sequence(derive(term.first, codePoint), term.rest);
        return term.first.nullable ? or([here, derive(term.rest, codePoint)]) : here;
      }
      case 'repeat': {
        const { item, min, max } = term;
        return sequence(derive(item, codePoint), repeat(item, Math.max(0, min - 1), max - 1));
      }
      case 'or':
        return or(term.items.map((item) => derive(item, codePoint)));
      case 'and':
        return and(term.items.map((item) => derive(item, codePoint)));
      case 'not':
        return not(derive(term.item, codePoint));
      case 'multiple':
        return afterDigit(term, codePoint);
    }
  }

  function boundaries(term: Term): ReadonlySet<number> {
    const known = borders.get(term);
    if (known) return known;
    const found = bordersOf(term);
    spend(found.size / RANGES_A_STEP);
    borders.set(term, found);
    return found;
  }

  function bordersOf(term: Term): ReadonlySet<number> {
    spend();
    switch (term.kind) {
      case 'characters':
        return new Set(term.ranges.flatMap(([from, to]) => [from, to + 1]));
      case 'multiple':
        return NUMBER_BORDERS;
      case 'empty':
        return new Set();
      case 'sequence': {
        const first = boundaries(term.first);
        return term.first.nullable ? new Set([...first, ...boundaries(term.rest)]) : first;
      }
      case 'repeat':
      case 'not':
        return boundaries(term.item);
      case 'or':
      case 'and':
        return new Set(term.items.flatMap((item) => [...boundaries(item)]));
    }
  }

  return {
    never,
    any,
    ofTree,
    ofLength: (min, max) => repeat(character, min, max),
    ofMultiples: (multiples) => {
      const positive = multiple(multiples, 0, -1);
      return or([positive, sequence(characters([[MINUS, MINUS]]), positive)]);
    },
    or,
    and,
    not,
    derivative: derive,
    boundaries,
  };
}

const ZERO = 0x30;
const POINT = 0x2e;
const MINUS = 0x2d;
const NUMBER_BORDERS: ReadonlySet<number> = new Set([
  POINT,
  POINT + 1,
  ...Array.from({ length: 11 }, (_, digit) => ZERO + digit),
]);

/** So many ranges of characters are looked through in a step. */
const RANGES_A_STEP = 256;

/** Most nodes of a tree that becomes a term. It bounds how deep terms lie in one another. */
const MAX_TREE = 2000;

function treeSize(tree: TextTree): number {
  if (tree.kind === 'sequence') return tree.items.reduce((sum, item) => sum + treeSize(item), 1);
  if (tree.kind === 'choice') return tree.options.reduce((sum, option) => sum + treeSize(option), 1);
  return tree.kind === 'repeat' || tree.kind === 'look' ? treeSize(tree.item) + 1 : 1;
}

function unique(items: readonly Term[]): Term[] {
  return [...new Set(items)].sort((some, other) => some.id - other.id);
}

function isAssertion({ kind }: TextTree): boolean {
  return kind === 'start' || kind === 'end' || kind === 'look';
}

/** True if the tree says nothing about the texts around it. */
function isPlain(tree: TextTree): boolean {
  if (tree.kind === 'sequence') return tree.items.every(isPlain);
  if (tree.kind === 'choice') return tree.options.every(isPlain);
  return tree.kind === 'repeat' ? isPlain(tree.item) : !isAssertion(tree);
}

function powerModulo(base: number, exponent: number, modulus: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count++) result = (result * base) % modulus;
  return result;
}
