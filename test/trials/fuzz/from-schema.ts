import type { Dice } from '../../kit/dice.ts';
import { oddNumber, oddText } from './odd-values.ts';

/** The used part of a JSON schema. */
export interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
}

/** Resolves `$ref`. */
export type Resolve = (ref: string) => Schema;

/** The probability of an optional field. */
const OPTIONAL = 0.15;
const MOST_ITEMS = 3;
const DEEPEST = 12;

/** Makes a value that matches the schema, apart from patterns. */
export function makeValue(schema: Schema, resolve: Resolve, dice: Dice, depth = 0): unknown {
  if (schema.$ref !== undefined) return makeValue(resolve(schema.$ref), resolve, dice, depth + 1);
  if ('const' in schema) return schema.const;
  if (schema.enum) return dice.pick(schema.enum);
  const ways = schema.anyOf ?? schema.oneOf;
  if (ways) return makeValue(dice.pick(ways), resolve, dice, depth + 1);
  switch (schema.type) {
    case 'object':
      return makeObject(schema, resolve, dice, depth);
    case 'array':
      return makeArray(schema, resolve, dice, depth);
    case 'string':
      return dice.chance(0.5) ? 'hello' : oddText(dice).padEnd(schema.minLength ?? 0, 'x');
    case 'integer':
      return Math.trunc(makeNumber(schema, dice));
    case 'number':
      return makeNumber(schema, dice);
    case 'boolean':
      return dice.chance(0.5);
    case 'null':
      return null;
    default:
      return dice.pick([{}, [], 'x', 1, null, true]);
  }
}

function makeObject(schema: Schema, resolve: Resolve, dice: Dice, depth: number): object {
  const value: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const wanted = schema.required?.includes(name) || (depth < DEEPEST && dice.chance(OPTIONAL));
    if (wanted) value[name] = makeValue(field, resolve, dice, depth + 1);
  }
  if (typeof schema.additionalProperties === 'object' && dice.chance(0.5))
    value[String(dice.below(300))] = makeValue(schema.additionalProperties, resolve, dice, depth + 1);
  return value;
}

function makeArray(
  { items = {}, minItems = 0, maxItems = MOST_ITEMS }: Schema,
  resolve: Resolve,
  dice: Dice,
  depth: number,
): unknown[] {
  const most = Math.max(minItems, Math.min(maxItems, MOST_ITEMS));
  const length = depth > DEEPEST ? minItems : minItems + dice.below(most - minItems + 1);
  return Array.from({ length }, () => makeValue(items, resolve, dice, depth + 1));
}

function makeNumber({ minimum = -1000, maximum = 1000 }: Schema, dice: Dice): number {
  if (dice.chance(0.1)) return Math.min(Math.max(oddNumber(dice), minimum), maximum);
  return minimum + (dice.below(1000) / 1000) * (maximum - minimum);
}
