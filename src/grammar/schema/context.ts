import type { JsonSchema, SchemaObject, SchemaPlace } from '../../contract/json-schema.ts';
import { type Budget, createBudget, unlessTooComplex } from '../budget.ts';
import { createCheck } from '../check/check.ts';
import type { Expression } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { createTerms, type Terms } from '../text/terms.ts';
import { MAX_STEPS_OF_TEXT, MAX_TEXT_STEPS } from './limits.ts';
import type { Refuse } from './refuse.ts';

/** The state of the compilation of one schema. */
export interface SchemaContext {
  /** The whole schema. References point into it. */
  root: SchemaPlace;
  refuse: Refuse;
  /** The results of `flatten`, by the part of the schema. */
  flat: Map<unknown, SchemaObject | false>;
  /** Number of pairs of schemas that were compared so far. */
  comparisons: number;
  /** For the work on texts and values. */
  budget: Budget;
  /** The terms of the texts that are matched by automata. */
  terms: Terms;
  /**
   * True if a value obeys a part of the schema. False if that takes too many steps. `requireCheckable` must have passed
   * the part.
   */
  isValid(schema: unknown, value: unknown): boolean;
  /** The keywords that the grammar leaves to a check of the finished value, each with its values. */
  left: Map<string, Set<unknown>>;
  /** The parts of the schema that `requireCheckable` has passed. */
  checkable: Set<unknown>;
}

/** Turns schemas into expressions. Equal schemas share a rule. Objects and arrays compile their parts with it. */
export interface SchemaCompiler extends SchemaContext {
  rules: Rules;
  /** Returns the expression for the values of a schema. A schema inside itself becomes a reference to its rule. */
  compile(place: SchemaPlace): Expression;
  /**
   * Leaves a keyword of a flat schema to the check of the finished value. Throws a 400 `ApiError` if that can't check
   * it either.
   */
  leave(schema: SchemaObject, keyword: string, path: string): void;
}

/** Begins the compilation of one schema. All of its parts share one budget of steps. */
export function createSchemaContext(schema: JsonSchema, refuse: Refuse): SchemaContext {
  const budget = createBudget(MAX_TEXT_STEPS, MAX_STEPS_OF_TEXT);
  const check = createCheck(schema, budget.spend);
  return {
    root: { schema, path: '#' },
    refuse,
    flat: new Map(),
    comparisons: 0,
    budget,
    terms: createTerms(budget.spend),
    isValid: (part, value) => unlessTooComplex(() => check({ schema: part, path: '#' }, value)) ?? false,
    left: new Map(),
    checkable: new Set(),
  };
}
