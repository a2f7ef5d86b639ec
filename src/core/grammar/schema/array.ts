import { type Expression, empty, isNever, literal, never, optional, repeat, sequence } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { inside, type SchemaObject } from '../json-schema.ts';
import { COMMA } from '../text/json-text.ts';
import type { SchemaCompiler } from './context.ts';
import { countUpTo, MAX_ITEMS } from './limits.ts';

/** Matches the arrays of a flat schema. More items than `prefixItems` come only if `items` asks for them. */
export function arrayExpression(schema: SchemaObject, path: string, compiler: SchemaCompiler): Expression {
  const { refuse } = compiler;
  const place = { schema, path };
  const prefixItems = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  if (prefixItems.length > MAX_ITEMS) throw refuse(path, 'prefixItems', `is over the limit of ${MAX_ITEMS}`);
  const prefix = prefixItems.map((_, index) => compiler.compile(inside(place, 'prefixItems', index)));
  const others = schema.items ?? prefix.length === 0;
  const item = compiler.compile({ schema: others, path: `${path}/items` });

  const impossible = prefix.findIndex(isNever);
  const first = impossible === -1 ? prefix : prefix.slice(0, impossible);
  const isClosed = impossible !== -1 || isNever(item);
  const min = countUpTo(MAX_ITEMS, schema, 'minItems', path, refuse) ?? 0;
  const asked = countUpTo(MAX_ITEMS, schema, 'maxItems', path, refuse) ?? Number.POSITIVE_INFINITY;
  const max = isClosed ? Math.min(asked, first.length) : asked;
  if (min > max) return never;
  return sequence(literal('['), items(compiler.rules, first, item, min, max, path), literal(']'));
}

/** Matches `min` to `max` items: those of `prefix` in order, then any number of `item`. */
function items(
  rules: Rules,
  prefix: Expression[],
  item: Expression,
  min: number,
  max: number,
  path: string,
): Expression {
  const all = [...prefix.slice(0, max)];
  // Without a prefix, the first item is special: no comma comes before it.
  if (all.length === 0 && max > 0) all.push(item);
  const next = rules.add('item', path, sequence(COMMA, item));
  const rest = max - all.length;
  let list = repeat(next, Math.max(0, min - all.length), rest);
  for (const [index, expression] of [...all.entries()].toReversed()) {
    const here = sequence(index === 0 ? empty : COMMA, expression, list);
    list = index < min ? here : optional(rules.add('items', path, here));
  }
  return list;
}
