import { TooComplex } from '../budget.ts';
import { choice } from '../gbnf/choice.ts';
import { type Expression, never, sequence } from '../gbnf/expression.ts';
import { mergeRanges, type Range } from '../gbnf/ranges.ts';
import type { Rules } from '../gbnf/rules.ts';
import { jsonCharacter } from './json-text.ts';
import type { TextTerm } from './term.ts';
import type { Terms } from './terms.ts';

/** The most states of an automaton, while it is made and when it is complete. */
const MAX_STEPS = 5000;
const MAX_STATES = 1000;

/** Reads a text character by character. No two edges of a state share a character, so one path is open at a time. */
export interface Automaton {
  /** The number of the first state. Absent if there is no text at all. */
  start?: number;
  states: readonly State[];
}

interface State {
  /** True if the text may end here. */
  accepts: boolean;
  edges: readonly Edge[];
}

interface Edge {
  ranges: readonly Range[];
  to: number;
}

/**
 * Makes a small automaton of a term. `spend` is called for each step of work. Throws `TooComplex` if it has too many
 * states.
 */
export function toAutomaton(terms: Terms, term: TextTerm, spend: () => void): Automaton {
  return joined(living(explore(terms, term)), spend);
}

function explore(terms: Terms, start: TextTerm): State[] {
  const numbers = new Map<TextTerm, number>([[start, 0]]);
  const states: State[] = [];
  for (const term of numbers.keys()) {
    const targets = new Map<number, Range[]>();
    const borders = [...terms.boundaries(term), 0x110000].sort((some, other) => some - other);
    let from = 0;
    for (const border of borders) {
      const next = border > from ? terms.derivative(term, from) : terms.never;
      if (next !== terms.never) {
        const to = numbers.get(next) ?? numbers.size;
        if (to > MAX_STEPS) throw new TooComplex();
        numbers.set(next, to);
        addRanges(targets, to, [[from, border - 1]]);
      }
      from = border;
    }
    const edges = Array.from(targets, ([to, ranges]): Edge => ({ ranges: mergeRanges(ranges), to }));
    states.push({ accepts: term.nullable, edges });
  }
  return states;
}

function addRanges(edges: Map<number, Range[]>, to: number, more: readonly Range[]): void {
  const known = edges.get(to) ?? [];
  for (const range of more) known.push(range);
  edges.set(to, known);
}

/** Drops the states from which no text can end. */
function living(states: State[]): State[] {
  const sources = states.map((): number[] => []);
  for (const [from, { edges }] of states.entries()) for (const { to } of edges) sources[to]?.push(from);
  const alive = new Set(states.flatMap(({ accepts }, index) => (accepts ? [index] : [])));
  for (const index of alive) for (const source of sources[index] ?? []) alive.add(source);
  return states.map(({ accepts, edges }, index) => ({
    accepts,
    edges: alive.has(index) ? edges.filter(({ to }) => alive.has(to)) : [],
  }));
}

/** Joins states that lead to the same states by the same characters, until no two are left. State 0 is the first. */
function joined(states: State[], spend: () => void): Automaton {
  let [start, current] = [0, states];
  for (;;) {
    const numbers = new Map<string, number>();
    const kept: State[] = [];
    const targets = current.map((state) => {
      spend();
      const key = `${state.accepts}${state.edges.map(({ ranges, to }) => ` ${to}:${ranges.join(';')}`).join('')}`;
      const number = numbers.get(key) ?? kept.push(state) - 1;
      numbers.set(key, number);
      return number;
    });
    if (kept.length === current.length) break;
    start = targets[start] ?? 0;
    current = kept.map(({ accepts, edges }) => ({ accepts, edges: withTargets(edges, targets) }));
  }
  if (current.length > MAX_STATES) throw new TooComplex();
  const first = current[start];
  return first && (first.accepts || first.edges.length > 0) ? { start, states: current } : { states: [] };
}

/** Returns the edges with their new targets. Edges with the same target become one edge. */
function withTargets(edges: readonly Edge[], targets: number[]): Edge[] {
  const ranges = new Map<number, Range[]>();
  for (const edge of edges) {
    const to = targets[edge.to] ?? 0;
    addRanges(ranges, to, edge.ranges);
  }
  return Array.from(ranges, ([to, some]): Edge => ({ ranges: mergeRanges(some), to })).sort((a, b) => a.to - b.to);
}

/**
 * Matches the texts of an automaton, each followed by `close`. `spell` returns the expression of one character of the
 * ranges; by default it is written as in a JSON string. Each state becomes a rule, except a state with one edge in and
 * one edge out. `key` is different for different automata.
 */
export function automatonExpression(
  { states, start }: Automaton,
  close: Expression,
  rules: Rules,
  key: string,
  path: string,
  spell: (ranges: readonly Range[]) => Expression = jsonCharacter,
): Expression {
  const ways = new Map<number, number>();
  for (const { edges } of states) for (const { to } of edges) ways.set(to, (ways.get(to) ?? 0) + 1);

  function body(index: number): Expression {
    const { accepts = false, edges = [] } = states[index] ?? {};
    const options = edges.map(({ ranges, to }) => sequence(spell(ranges), behind(to)));
    return choice([...options, accepts ? close : never]);
  }

  function behind(index: number): Expression {
    const { accepts = false, edges = [] } = states[index] ?? {};
    if (edges.length === 0) return close;
    const isLink = !accepts && edges.length === 1 && ways.get(index) === 1;
    return isLink ? body(index) : rules.define('state', `state ${index} of ${key}`, path, () => body(index));
  }

  if (start === undefined) return never;
  return states[start]?.edges.length === 0 ? close : behind(start);
}
