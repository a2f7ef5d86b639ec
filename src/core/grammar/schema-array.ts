import { countUpTo } from './count-up-to.ts';
import { type Expression, empty, isNever, literal, never, optional, repeat, sequence } from './expression.ts';
import { inside, type SchemaObject } from './json-schema.ts';
import { COMMA } from './json-text.ts';
import type { SchemaCompiler } from './schema-compiler.ts';
import { MAX_ITEMS } from './schema-limits.ts';

/** Arrays of a flat schema. Behind `prefixItems`, more items come only where `items` asks for them. */
export function arrayExpression(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  const place = { schema, path };
  const prefixItems = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  if (prefixItems.length > MAX_ITEMS) throw compiler.refuse(path, 'prefixItems', `is over the limit of ${MAX_ITEMS}`);
  const prefix = prefixItems.map((_, index) => compiler.compile(inside(place, 'prefixItems', index)));
  const others = schema.items ?? prefix.length === 0;
  const item = compiler.compile({ schema: others, path: `${path}/items` });

  const impossible = prefix.findIndex(isNever);
  const first = impossible === -1 ? prefix : prefix.slice(0, impossible);
  const isClosed = impossible !== -1 || isNever(item);
  const min = countUpTo(MAX_ITEMS, compiler, schema, path, 'minItems', 0);
  const asked = countUpTo(MAX_ITEMS, compiler, schema, path, 'maxItems', Number.POSITIVE_INFINITY);
  const max = isClosed ? Math.min(asked, first.length) : asked;
  if (min > max) return never;
  return sequence(literal('['), items(compiler, first, item, min, max, path), literal(']'));
}

/** `min` to `max` items, where the first ones have a schema each. */
function items(
  compiler: SchemaCompiler,
  prefix: Expression[],
  item: Expression,
  min: number,
  max: number,
  path: string,
): Expression {
  const all = [...prefix.slice(0, max)];
  // The first of the others stands apart, as no comma comes before it.
  if (all.length === 0 && max > 0) all.push(item);
  const next = compiler.rules.add('item', path, sequence(COMMA, item));
  const rest = max - all.length;
  let list = repeat(next, Math.max(0, min - all.length), rest);
  for (const [index, expression] of [...all.entries()].toReversed()) {
    const here = sequence(index === 0 ? empty : COMMA, expression, list);
    list = index < min ? here : optional(compiler.rules.add('items', path, here));
  }
  return list;
}
