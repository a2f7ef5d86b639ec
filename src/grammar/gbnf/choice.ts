import { type Expression, empty, literal, optional, sequenceOf } from './expression.ts';
import { expressionText } from './expression-text.ts';

/** Options share their beginnings down to this depth of choices inside choices. */
const MAX_DEPTH = 100;

/**
 * Matches one of the options. Options that begin alike share that beginning: llama.cpp follows every option that still
 * fits the text, so fewer of them means less work for each token.
 */
export function choice(options: Expression[]): Expression {
  return factor(options.flatMap(alternatives).map(units), 0, 0);
}

/** Lists the options of an expression. An optional item is a choice of the item and the empty text. */
function alternatives(expression: Expression): Expression[] {
  if (expression.kind === 'choice') return expression.options.flatMap(alternatives);
  if (expression.kind === 'repeat' && expression.min === 0 && expression.max === 1) {
    return [...alternatives(expression.item), empty];
  }
  return [expression];
}

/** The smallest part that options can share: one character of a literal, or one whole item of another kind. */
interface Unit {
  /** Equal for equal expressions. */
  readonly key: string;
  readonly expression: Expression;
}

function units(expression: Expression): Unit[] {
  const items = expression.kind === 'sequence' ? expression.items : [expression];
  return items.flatMap((item) => (item.kind === 'literal' ? Array.from(item.text, character) : [whole(item)]));
}

function character(text: string): Unit {
  return { key: `"${text}`, expression: literal(text) };
}

/** The key is made when it is first read: choices inside choices would write the innermost one once for each level. */
function whole(expression: Expression): Unit {
  let key: string | undefined;
  return {
    get key() {
      key ??= expressionText(expression);
      return key;
    },
    expression,
  };
}

/** Makes a choice of the rests of the options, from unit `from` on. `depth` counts the choices around it. */
function factor(options: Unit[][], from: number, depth: number): Expression {
  const groups = new Map<string, Unit[][]>();
  for (const option of options) {
    const first = option[from];
    const key = first && depth > MAX_DEPTH ? `${groups.size}` : (first?.key ?? '');
    const group = groups.get(key);
    if (group) group.push(option);
    else groups.set(key, [option]);
  }
  const matchesEmpty = groups.delete('');
  const factored = Array.from(groups.values(), (group) => factorGroup(group, from, depth));
  const [only] = factored;
  const whole: Expression = factored.length === 1 && only ? only : { kind: 'choice', options: factored };
  return matchesEmpty ? optional(whole) : whole;
}

/** Makes one expression of options that have the same unit at `from`. */
function factorGroup(group: Unit[][], from: number, depth: number): Expression {
  const [first = [], ...others] = group;
  const isShared = (index: number) => others.every((other) => other[index]?.key === first[index]?.key);
  let end = others.length === 0 ? first.length : from + 1;
  while (end < first.length && isShared(end)) end++;
  const shared = first.slice(from, end).map(({ expression }) => expression);
  return others.length === 0 ? sequenceOf(shared) : sequenceOf([...shared, factor(group, end, depth + 1)]);
}
