import type { JsonSchema } from '../contract/json-schema.ts';
import { checkGrammar } from './gbnf/check.ts';
import { createRules, rulesText } from './gbnf/rules.ts';
import { createSchemaCompiler } from './schema/compiler.ts';
import { createSchemaContext } from './schema/context.ts';
import { checkLimits, MAX_GRAMMAR_SIZE } from './schema/limits.ts';
import { createRefuse } from './schema/refuse.ts';

/** The rules for one schema in GBNF. */
export interface SchemaGrammar {
  /** One line `name ::= ...` per rule, each with its line end. */
  rules: string;
  /** The name of the rule for the whole value. */
  rule: string;
  /** True if a text of the grammar may break the schema: `checkValue` must look at the value. */
  isPartial: boolean;
}

export interface SchemaGrammarOptions {
  /** The request field that holds the schema. Errors name it. */
  param: string;
  /** The beginning of all rule names, so that one grammar can hold several schemas. Letters, digits and dashes only. */
  prefix?: string;
}

/**
 * Compiles a schema into a grammar. Every text of the grammar is valid by the schema, unless the grammar is partial.
 * Not every valid text is in the grammar: properties come in declared order, undeclared properties only if the schema
 * asks for them, strings use no escapes but the short ones, and at most one space follows a comma or colon. Throws a
 * 400 `ApiError` that names the part of the schema that can be neither enforced nor checked.
 */
export function createSchemaGrammar(schema: JsonSchema, { param, prefix = '' }: SchemaGrammarOptions): SchemaGrammar {
  const refuse = createRefuse(param);
  checkLimits(schema, refuse);
  const rules = createRules(prefix, MAX_GRAMMAR_SIZE, (path) =>
    refuse(path, null, `takes a grammar of more than ${MAX_GRAMMAR_SIZE} parts`),
  );
  const context = createSchemaContext(schema, refuse);
  const value = createSchemaCompiler(context, rules).compile(context.root);
  const start = rules.start(value);
  const reachable = rules.reachable(start);
  checkGrammar(reachable, (path, reason) => refuse(path, null, reason));
  return { rules: rulesText(reachable), rule: start, isPartial: context.left.size > 0 };
}

/** The grammar of any JSON object, for a `response_format` of type `json_object`. */
export function jsonObjectGrammar(): SchemaGrammar {
  return createSchemaGrammar({ type: 'object' }, { param: 'response_format' });
}

/** Returns a complete grammar for replies that consist of the value alone. */
export function rootGrammar({ rules, rule }: SchemaGrammar): string {
  return `root ::= ${rule}\n${rules}`;
}
