import type { Expression } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import type { JsonSchema, Place, SchemaObject } from '../json-schema.ts';
import type { Refuse } from './refuse.ts';

/** The state of the work on one schema. */
export interface SchemaContext {
  /** The whole schema. References point into it. */
  root: Place;
  refuse: Refuse;
  /** The results of `flatten`, by the part of the schema. */
  flat: Map<unknown, SchemaObject | false>;
  /** Number of pairs of schemas that were compared so far. */
  comparisons: number;
}

/** Turns schemas into expressions. Equal schemas share a rule. Objects and arrays compile their parts with it. */
export interface SchemaCompiler extends SchemaContext {
  rules: Rules;
  /** Returns the expression for the values of a schema. A schema inside itself becomes a reference to its rule. */
  compile(place: Place): Expression;
}

export function createSchemaContext(schema: JsonSchema, refuse: Refuse): SchemaContext {
  return { root: { schema, path: '#' }, refuse, flat: new Map(), comparisons: 0 };
}
