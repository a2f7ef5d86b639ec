import { charactersOf } from './characters.ts';
import type { Expression } from './expression.ts';
import { GrammarFault } from './fault.ts';
import { type GrammarPart, splitGrammar } from './parts.ts';
import { intersection, mergeRanges, type Range, UNICODE, without } from './ranges.ts';

/** The rules of a grammar by their names. A text of the grammar is one of the rule `root`. */
export type Grammar = ReadonlyMap<string, Expression>;

/** A rule of a grammar's text. `at` is the offset of its name. */
export interface WrittenRule {
  body: Expression;
  at: number;
}

/** The most groups inside one another. */
const MAX_DEPTH = 256;

/** Reads a grammar as `readRules` does. Returns undefined for a grammar that `readRules` does not take. */
export function parseGrammar(text: string): Grammar | undefined {
  try {
    return new Map(Array.from(readRules(text), ([name, { body }]) => [name, body]));
  } catch (error) {
    if (error instanceof GrammarFault) return undefined;
    throw error;
  }
}

/**
 * Reads a grammar in GBNF: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md. A rule may go on in the
 * next line, and names may have underscores. Throws a `GrammarFault` for text that is not GBNF, for names of tokens, and
 * for a rule that is missing or defined twice.
 */
export function readRules(text: string): Map<string, WrittenRule> {
  const needed = new Map<string, number>();
  const reader = createReader(splitGrammar(text), needed);
  const rules = new Map<string, WrittenRule>();
  for (let rule = reader.next(); rule; rule = reader.next()) {
    const { name, body, at } = rule;
    if (rules.has(name)) throw new GrammarFault(`defines the rule '${name}' a second time`, at);
    rules.set(name, { body, at });
  }
  if (!rules.has('root')) throw new GrammarFault("does not define the rule 'root', the beginning", 0);
  for (const [name, at] of needed) {
    if (!rules.has(name)) throw new GrammarFault(`names the rule '${name}', which no line defines`, at);
  }
  return rules;
}

/** Reads one rule after another. Adds the names to which rules refer, each with its first place. */
function createReader(parts: GrammarPart[], needed: Map<string, number>) {
  let position = 0;
  let depth = 0;
  const takes = (kind: GrammarPart['kind']) => parts[position]?.kind === kind && position++ >= 0;

  const choice = (): Expression => {
    const options: Expression[] = [];
    do options.push(sequence());
    while (takes('|'));
    const [only] = options;
    return options.length === 1 && only ? only : { kind: 'choice', options };
  };

  const sequence = (): Expression => {
    const items: Expression[] = [];
    for (let part = parts[position]; part && !endsSequence(part); part = parts[position]) {
      position += 1;
      items.push(part.kind === 'count' ? repeated(items.pop(), part) : atom(part));
    }
    const [only] = items;
    return items.length === 1 && only ? only : { kind: 'sequence', items };
  };

  const group = (at: number): Expression => {
    if (++depth > MAX_DEPTH) throw new GrammarFault(`has groups more than ${MAX_DEPTH} deep`, at);
    const inner = choice();
    if (!takes(')')) throw new GrammarFault("has a '(' without its ')'", at);
    depth -= 1;
    return inner;
  };

  const atom = ({ kind, text, at }: GrammarPart): Expression => {
    if (kind === 'literal') return literalOf(text, at);
    if (kind === 'class') return classOf(text, at);
    if (kind === '.') return { kind: 'class', ranges: UNICODE };
    if (kind === '(') return group(at);
    if (!needed.has(text)) needed.set(text, at);
    return { kind: 'rule', name: text };
  };

  return {
    /** Returns the next rule; undefined at the end. */
    next(): (WrittenRule & { name: string }) | undefined {
      const part = parts[position++];
      if (!part) return undefined;
      const { kind, text, at } = part;
      if (kind !== 'definition') throw new GrammarFault(`has '${text}' where a rule such as 'name ::=' begins`, at);
      return { name: text, body: choice(), at };
    },
  };
}

function endsSequence({ kind }: GrammarPart): boolean {
  return kind === ')' || kind === '|' || kind === 'definition';
}

function repeated(item: Expression | undefined, { text, at }: GrammarPart): Expression {
  if (!item) throw new GrammarFault(`has '${text}' with nothing before it to repeat`, at);
  const endless = Number.POSITIVE_INFINITY;
  if (!text.startsWith('{'))
    return { kind: 'repeat', item, min: text === '+' ? 1 : 0, max: text === '?' ? 1 : endless };
  const [min = 0, most] = (text.match(/\d+/g) ?? []).map(Number);
  const max = most ?? (text.includes(',') ? endless : min);
  if (min > max) throw new GrammarFault(`has '${text}', whose first number is the larger one`, at);
  return { kind: 'repeat', item, min, max };
}

function literalOf(quoted: string, at: number): Expression {
  const codePoints = charactersOf(quoted.slice(1, -1), at).map(({ codePoint }) => codePoint);
  // llama.cpp reads texts up to a zero.
  if (codePoints.includes(0)) throw new GrammarFault('has a text with the character 0', at);
  const text = codePoints.map((codePoint) => String.fromCodePoint(codePoint)).join('');
  return text === '' ? { kind: 'sequence', items: [] } : { kind: 'literal', text };
}

function classOf(bracketed: string, at: number): Expression {
  const negated = bracketed[1] === '^';
  const characters = charactersOf(bracketed.slice(negated ? 2 : 1, -1), at);
  const ranges: Range[] = [];
  for (let index = 0; index < characters.length; index++) {
    const from = characters[index]?.codePoint ?? 0;
    const dash = characters[index + 1];
    const to = dash && !dash.escaped && dash.codePoint === 0x2d ? characters[index + 2]?.codePoint : undefined;
    if (to !== undefined && to < from) throw new GrammarFault(`has a class with a range that goes backwards`, at);
    ranges.push([from, to ?? from]);
    if (to !== undefined) index += 2;
  }
  const allowed = negated ? without(UNICODE, ranges) : intersection(mergeRanges(ranges), UNICODE);
  const isWritable = ranges.length > 0 && allowed.some(([, last]) => last > 0);
  if (!isWritable) throw new GrammarFault('has a class without characters', at);
  return { kind: 'class', ranges: allowed };
}
