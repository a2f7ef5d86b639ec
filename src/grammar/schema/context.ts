import type { JsonSchema, Place, SchemaObject } from '../../contract/json-schema.ts';
import { type Budget, createBudget, unlessTooComplex } from '../budget.ts';
import { createCheck } from '../check/check.ts';
import type { Expression } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { createTerms, type Terms } from '../text/terms.ts';
import { MAX_STEPS_OF_TEXT, MAX_TEXT_STEPS } from './limits.ts';
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
  /** For the work on texts and values. */
  budget: Budget;
  /** The terms of texts that take an automaton. */
  terms: Terms;
  /** True if a value obeys a part of the schema which `requireCheckable` has seen, and that is not too much work. */
  isValid(schema: unknown, value: unknown): boolean;
  /** The keywords that the grammar leaves to a check of the finished value, each with its values. */
  left: Map<string, Set<unknown>>;
  /** The parts that are known to be fit for that check. */
  checkable: Set<unknown>;
}

/** Turns schemas into expressions. Equal schemas share a rule. Objects and arrays compile their parts with it. */
export interface SchemaCompiler extends SchemaContext {
  rules: Rules;
  /** Returns the expression for the values of a schema. A schema inside itself becomes a reference to its rule. */
  compile(place: Place): Expression;
  /**
   * Leaves a keyword of a flat schema to the check of the finished value. Throws a 400 `ApiError` if that can't check it
   * either.
   */
  leave(schema: SchemaObject, keyword: string, path: string): void;
}

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
