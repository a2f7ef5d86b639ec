import { contains } from '../gbnf/ranges.ts';
import { afterCharacter, NUMBER_BORDERS } from './multiples.ts';
import { andTerm, notTerm, orTerm, repeatTerm, sequenceTerm, type TermPool, type TextTerm } from './term.ts';

/** The number of ranges of characters that are looked through in one step of work. */
const RANGES_PER_STEP = 256;

/**
 * Returns the derivative of a term: the texts that may follow the character. Throws `TooComplex` after too many steps.
 */
export function derivative(pool: TermPool, term: TextTerm, codePoint: number): TextTerm {
  pool.spend();
  const derive = (part: TextTerm) => derivative(pool, part, codePoint);
  switch (term.kind) {
    case 'characters':
      pool.spend(term.ranges.length / RANGES_PER_STEP);
      return contains(term.ranges, codePoint) ? pool.empty : pool.never;
    case 'empty':
      return pool.never;
    case 'sequence': {
      const here = sequenceTerm(pool, derive(term.first), term.rest);
      return term.first.nullable ? orTerm(pool, [here, derive(term.rest)]) : here;
    }
    case 'repeat': {
      const { item, min, max } = term;
      return sequenceTerm(pool, derive(item), repeatTerm(pool, item, Math.max(0, min - 1), max - 1));
    }
    case 'or':
      return orTerm(pool, term.items.map(derive));
    case 'and':
      return andTerm(pool, term.items.map(derive));
    case 'not':
      return notTerm(pool, derive(term.item));
    case 'multiple':
      return afterCharacter(pool, term, codePoint);
  }
}

/** Makes the function for `Terms.boundaries`, which remembers its results. */
export function createBoundaries({ spend }: TermPool): (term: TextTerm) => ReadonlySet<number> {
  const known = new Map<TextTerm, ReadonlySet<number>>();

  function boundaries(term: TextTerm): ReadonlySet<number> {
    const before = known.get(term);
    if (before) return before;
    const found = find(term);
    spend(found.size / RANGES_PER_STEP);
    known.set(term, found);
    return found;
  }

  function find(term: TextTerm): ReadonlySet<number> {
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

  return boundaries;
}
