import { inside, type SchemaObject } from '../../contract/json-schema.ts';
import { choice } from '../gbnf/choice.ts';
import { type Expression, empty, isNever, literal, never, optional, repeat, sequence } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { COMMA, valueText } from '../text/json-text.ts';
import type { SchemaCompiler } from './context.ts';
import { flatten } from './flat.ts';
import { countUpTo, MAX_ITEMS } from './limits.ts';
import { listedValues } from './types.ts';

/**
 * Matches the arrays of a flat schema. More items than `prefixItems` come only if `items` asks for them. Throws a 400
 * `ApiError` for more than `MAX_ITEMS` items in `prefixItems` or `minItems`.
 */
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
  const asked = atMost(compiler, schema, path);
  const max = isClosed ? Math.min(asked, first.length) : asked;
  if (min > max) return never;
  if (schema.uniqueItems !== undefined && max > 1) {
    const unique = prefix.length === 0 && uniqueItems(compiler, others, min, max, path);
    if (unique) return unique;
    compiler.leave(schema, 'uniqueItems', path);
  }
  return sequence(literal('['), items(compiler.rules, first, item, min, max, path), literal(']'));
}

/** The most values for which every order gets rules. Each value more doubles the number of rules. */
const MAX_UNIQUE = 8;

/**
 * Matches arrays that have each of some listed values at most once. Returns undefined if the items are not listed
 * values.
 */
function uniqueItems(
  compiler: SchemaCompiler,
  schema: unknown,
  min: number,
  max: number,
  path: string,
): Expression | undefined {
  const flat = flatten(compiler, { schema, path: `${path}/items` });
  const isListed = flat && Object.keys(flat).every((keyword) => ['type', 'enum', 'const'].includes(keyword));
  const listed = (isListed && listedValues(flat)) || [];
  const values = [...new Map(listed.map((value) => [JSON.stringify(value), value])).values()];
  if (values.length === 0 || values.length > MAX_UNIQUE) return undefined;
  if (min > values.length) return never;
  const key = `unique ${JSON.stringify([values, min, max])}`;

  /** Matches the rest of an array behind `count` items. The bits of `left` tell which values are left. */
  const rest = (left: number, count: number): Expression =>
    compiler.rules.define('unique', `${key} ${left}`, path, () => {
      const options = values.flatMap((value, index) => {
        const bit = 1 << index;
        const isOpen = (left & bit) !== 0 && count < max;
        return isOpen ? [sequence(count === 0 ? empty : COMMA, valueText(value), rest(left & ~bit, count + 1))] : [];
      });
      return choice([...options, count >= min ? literal(']') : never]);
    });
  return sequence(literal('['), rest((1 << values.length) - 1, 0));
}

/** Reads `maxItems`. Above the limit it is left to the check of the finished value. */
function atMost(compiler: SchemaCompiler, schema: SchemaObject, path: string): number {
  const { maxItems = Number.POSITIVE_INFINITY } = schema;
  if (Number(maxItems) <= MAX_ITEMS || maxItems === Number.POSITIVE_INFINITY) return Number(maxItems);
  compiler.leave(schema, 'maxItems', path);
  return Number.POSITIVE_INFINITY;
}

/** Matches `min` to `max` items: the items of `prefix` in order, then any number of `item`. */
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
