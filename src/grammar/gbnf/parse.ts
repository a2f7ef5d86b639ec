import type { Expression } from './expression.ts';
import { mergeRanges, type Range, UNICODE, without } from './ranges.ts';

/** The rules of a grammar by their names. A text of the grammar is one of the rule `root`. */
export type Grammar = ReadonlyMap<string, Expression>;

const PART =
  /(?:\s|#[^\n]*)*(?:("(?:\\.|[^"\\])*")|(\[(?:\\.|[^\]\\])*\])|(\{\d+(?:,\d*)?\}|[*+?])|([0-9A-Za-z-]+)(\s*::=)?|([()|.]))/suy;

/** One part of a grammar's text. */
type Part =
  | { kind: 'literal' | 'class' | 'count' | 'name' | 'definition'; text: string }
  | { kind: '(' | ')' | '|' | '.'; text: string };

/**
 * Reads a grammar in GBNF: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md. Returns undefined for
 * a grammar that uses unsupported syntax, such as names of tokens, and for one that lacks a rule.
 */
export function parseGrammar(text: string): Grammar | undefined {
  const parts = split(text);
  if (!parts) return undefined;
  const rules = new Map<string, Expression>();
  const needed = new Set(['root']);
  const read = createReader(parts, needed);
  while (read.left()) {
    const [name, body] = read.rule() ?? [];
    if (name === undefined || body === undefined) return undefined;
    rules.set(name, body);
  }
  return [...needed].every((name) => rules.has(name)) ? rules : undefined;
}

function split(text: string): Part[] | undefined {
  const end = text.replace(/(?:\s|#[^\n]*)+$/u, '').length;
  const parts: Part[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < end) {
    const found = PART.exec(text);
    if (!found) return undefined;
    const [, literal, set, count, name, defines, mark] = found;
    if (literal !== undefined) parts.push({ kind: 'literal', text: literal });
    else if (set !== undefined) parts.push({ kind: 'class', text: set });
    else if (count !== undefined) parts.push({ kind: 'count', text: count });
    else if (name !== undefined) parts.push({ kind: defines === undefined ? 'name' : 'definition', text: name });
    else if (mark !== undefined) parts.push({ kind: mark as '(' | ')' | '|' | '.', text: mark });
  }
  return parts;
}

/** Reads one rule after another. Adds the names that rules refer to. */
function createReader(parts: Part[], needed: Set<string>) {
  let at = 0;
  const takes = (kind: Part['kind']) => parts[at]?.kind === kind && at++ >= 0;

  const choice = (): Expression | undefined => {
    const options: Expression[] = [];
    do {
      const option = sequence();
      if (!option) return undefined;
      options.push(option);
    } while (takes('|'));
    const [only] = options;
    return options.length === 1 ? only : { kind: 'choice', options };
  };

  const sequence = (): Expression | undefined => {
    const items: Expression[] = [];
    for (let part = parts[at]; part && !')|'.includes(part.kind) && part.kind !== 'definition'; part = parts[at]) {
      at += 1;
      const item = part.kind === 'count' ? repeated(items.pop(), part.text) : atom(part);
      if (!item) return undefined;
      items.push(item);
    }
    const [only] = items;
    return items.length === 1 ? only : { kind: 'sequence', items };
  };

  const atom = ({ kind, text }: Part): Expression | undefined => {
    if (kind === 'literal') return literalOf(text);
    if (kind === 'class') return { kind: 'class', ranges: rangesOf(text) };
    if (kind === '.') return { kind: 'class', ranges: UNICODE };
    if (kind === 'name') {
      needed.add(text);
      return { kind: 'rule', name: text };
    }
    if (kind !== '(') return undefined;
    const inner = choice();
    return takes(')') ? inner : undefined;
  };

  return {
    left: () => at < parts.length,
    rule: (): [string, Expression] | undefined => {
      const part = parts[at++];
      const body = part?.kind === 'definition' ? choice() : undefined;
      return part && body && [part.text, body];
    },
  };
}

function repeated(item: Expression | undefined, count: string): Expression | undefined {
  if (!item) return undefined;
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(count) ?? [];
  const endless = Number.POSITIVE_INFINITY;
  if (least === undefined)
    return { kind: 'repeat', item, min: count === '+' ? 1 : 0, max: count === '?' ? 1 : endless };
  const min = Number(least);
  if (!comma) return { kind: 'repeat', item, min, max: min };
  return { kind: 'repeat', item, min, max: most ? Number(most) : endless };
}

function literalOf(quoted: string): Expression {
  const text = charactersOf(quoted.slice(1, -1))
    .map(({ codePoint }) => String.fromCodePoint(codePoint))
    .join('');
  return text === '' ? { kind: 'sequence', items: [] } : { kind: 'literal', text };
}

function rangesOf(bracketed: string): readonly Range[] {
  const negated = bracketed[1] === '^';
  const characters = charactersOf(bracketed.slice(negated ? 2 : 1, -1));
  const ranges: Range[] = [];
  for (let at = 0; at < characters.length; at++) {
    const from = characters[at]?.codePoint ?? 0;
    const dash = characters[at + 1];
    const to = dash && !dash.escaped && dash.codePoint === 0x2d ? characters[at + 2]?.codePoint : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return negated ? without(UNICODE, ranges) : mergeRanges(ranges);
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

/** The characters of a literal or class. An escaped one stands for itself alone. */
function charactersOf(text: string): { codePoint: number; escaped: boolean }[] {
  const found = text.matchAll(/\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|(.))|(.)/gsu);
  return Array.from(found, ([, byte, short, long, mark, plain]) => {
    const hex = byte ?? short ?? long;
    if (hex !== undefined) return { codePoint: Number.parseInt(hex, 16), escaped: true };
    const character = plain ?? ESCAPES[mark ?? ''] ?? mark ?? '';
    return { codePoint: character.codePointAt(0) ?? 0, escaped: mark !== undefined };
  });
}
