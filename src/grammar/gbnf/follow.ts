import type { Expression } from './expression.ts';
import type { Grammar } from './parse.ts';
import { contains, mergeRanges, type Range } from './ranges.ts';

/** The state of a grammar after a text. It is immutable. */
export interface GrammarProgress {
  /**
   * Returns the state after one more character; undefined if the character is not allowed, or if too many alternatives
   * are open.
   */
  after(codePoint: number): GrammarProgress | undefined;
  /** The characters that may come next. */
  readonly next: readonly Range[];
  /** True if the text may end here. */
  readonly mayEnd: boolean;
}

/** The expressions that remain to be matched, as a linked list. */
type Rest =
  | { items: readonly Expression[]; at: number; behind: Rest }
  | { repeat: Extract<Expression, { kind: 'repeat' }>; done: number; behind: Rest }
  | null;

/** A place before one character: before a character class, or within a literal at the index `at`. */
interface Place {
  character: Extract<Expression, { kind: 'literal' | 'class' }>;
  at: number;
  behind: Rest;
}

interface Position {
  places: Place[];
  mayEnd: boolean;
}

/** The most places that are followed at a time. The grammars of schemas have no more: see `open-ways.ts`. */
const MOST_PLACES = 256;
/** The most steps for one character. A grammar may have loops that match no character. */
const MOST_STEPS = 4_000;

/** Returns the state before the first character; undefined if too many alternatives are open. */
export function beginning(grammar: Grammar): GrammarProgress | undefined {
  const position = reach(grammar, [], [just({ kind: 'rule', name: 'root' }, null)]);
  return position && reached(grammar, position);
}

function just(expression: Expression, behind: Rest): Rest {
  return { items: [expression], at: 0, behind };
}

/** Follows each of `open` up to its next characters, and adds these to `places`. */
function reach(grammar: Grammar, places: Place[], open: Rest[]): Position | undefined {
  let mayEnd = false;
  for (let steps = 0; open.length > 0; steps++) {
    const rest = open.pop() ?? null;
    if (rest === null) {
      mayEnd = true;
    } else {
      const { item, ways } = isRepeat(rest) ? repetition(rest) : nextItem(rest);
      open.push(...ways);
      if (item) enter(grammar, item.expression, item.behind, places, open);
    }
    if (steps > MOST_STEPS || places.length > MOST_PLACES) return undefined;
  }
  return { places, mayEnd };
}

type Repetition = Extract<Rest, { repeat: unknown }>;
type Items = Extract<Rest, { items: unknown }>;

/** The expression to match next, and the alternatives that skip it. */
interface Next {
  item?: { expression: Expression; behind: Rest } | undefined;
  ways: Rest[];
}

function isRepeat(rest: Items | Repetition): rest is Repetition {
  return 'repeat' in rest;
}

function nextItem({ items, at, behind }: Items): Next {
  const expression = items[at];
  if (!expression) return { ways: [behind] };
  return { item: { expression, behind: at + 1 < items.length ? { items, at: at + 1, behind } : behind }, ways: [] };
}

function repetition({ repeat, done, behind }: Repetition): Next {
  // After its minimum, an unlimited repetition is in the same state each time.
  const count = repeat.max === Number.POSITIVE_INFINITY ? Math.min(done + 1, repeat.min) : done + 1;
  return {
    item: done < repeat.max ? { expression: repeat.item, behind: { repeat, done: count, behind } } : undefined,
    ways: done >= repeat.min ? [behind] : [],
  };
}

function enter(grammar: Grammar, expression: Expression, behind: Rest, places: Place[], open: Rest[]): void {
  switch (expression.kind) {
    case 'literal':
    case 'class':
      addPlace(places, { character: expression, at: 0, behind });
      break;
    case 'rule': {
      const body = grammar.get(expression.name);
      if (body) open.push(just(body, behind));
      break;
    }
    case 'sequence':
      open.push({ items: expression.items, at: 0, behind });
      break;
    case 'choice':
      for (const option of expression.options) open.push(just(option, behind));
      break;
    case 'repeat':
      open.push({ repeat: expression, done: 0, behind });
  }
}

function addPlace(places: Place[], place: Place): void {
  if (!places.some((known) => samePlace(known, place))) places.push(place);
}

function sameRest(one: Rest, other: Rest): boolean {
  let [a, b] = [one, other];
  while (a !== b) {
    if (a === null || b === null) return false;
    if (isRepeat(a)) {
      if (!isRepeat(b) || a.repeat !== b.repeat || a.done !== b.done) return false;
    } else if (isRepeat(b) || a.items !== b.items || a.at !== b.at) {
      return false;
    }
    a = a.behind;
    b = b.behind;
  }
  return true;
}

function reached(grammar: Grammar, { places, mayEnd }: Position): GrammarProgress {
  const known = new Map<string, GrammarProgress | undefined>();
  let next: readonly Range[] | undefined;

  const move = (fitting: Place[], width: number) => {
    const [within, open]: [Place[], Rest[]] = [[], []];
    for (const { character, at, behind } of fitting) {
      const end = at + width;
      if (character.kind === 'literal' && end < character.text.length) addPlace(within, { character, at: end, behind });
      else open.push(behind);
    }
    return reach(grammar, within, open);
  };

  const self: GrammarProgress = {
    mayEnd,
    get next() {
      next ??= mergeRanges(places.flatMap(rangesOf));
      return next;
    },
    after(codePoint) {
      const fitting = places.filter((place) => fits(place, codePoint));
      if (fitting.length === 0) return undefined;
      const key = places.length === fitting.length ? '' : fitting.map((place) => places.indexOf(place)).join();
      if (known.has(key)) return known.get(key);
      const moved = move(fitting, codePoint > 0xffff ? 2 : 1);
      // Inside a string, most characters lead to the same places. They are computed once.
      const same = moved && moved.mayEnd === mayEnd && samePlaces(moved.places, places);
      const after = same ? self : moved && reached(grammar, moved);
      known.set(key, after);
      return after;
    },
  };
  return self;
}

function samePlaces(some: Place[], others: Place[]): boolean {
  return some.length === others.length && some.every((place, index) => samePlace(place, others[index]));
}

function samePlace(one: Place, other: Place | undefined): boolean {
  return one.character === other?.character && one.at === other.at && sameRest(one.behind, other.behind);
}

function fits({ character, at }: Place, codePoint: number): boolean {
  if (character.kind === 'class') return contains(character.ranges, codePoint);
  return character.text.codePointAt(at) === codePoint;
}

function rangesOf({ character, at }: Place): readonly Range[] {
  if (character.kind === 'class') return character.ranges;
  const codePoint = character.text.codePointAt(at) ?? 0;
  return [[codePoint, codePoint]];
}
