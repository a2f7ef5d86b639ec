import { checkGrammar } from './grammar-check.ts';
import type { JsonSchema } from './json-schema.ts';
import { createRules, rulesText } from './rules.ts';
import { createSchemaCompiler } from './schema-compiler.ts';
import { createSchemaContext } from './schema-flat.ts';
import { createRefuse } from './schema-keywords.ts';
import { checkLimits, MAX_GRAMMAR_SIZE } from './schema-limits.ts';

/** A part of a grammar in GBNF. */
export interface SchemaGrammar {
  /** Lines of `name ::= ...`, each with its line end. */
  rules: string;
  /** The name of the rule for the whole value. */
  rule: string;
}

export interface SchemaGrammarOptions {
  /** The field of the request that the schema came in. */
  param: string;
  /** What all names begin with, so that several schemas fit into one grammar: letters, digits and dashes. */
  prefix?: string;
}

/**
 * A grammar whose every text is valid by the schema. It writes less than the schema allows: properties in declared
 * order, no undeclared ones unless asked for, no escapes but the short ones, at most one space behind commas and
 * colons. Throws a 400 that names what in the schema it can't hold a model to.
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
  return { rules: rulesText(reachable), rule: start };
}

/** Any JSON object: what `response_format` asks for with `json_object`. */
export function jsonObjectGrammar(): SchemaGrammar {
  return createSchemaGrammar({ type: 'object' }, { param: 'response_format' });
}

/** A whole grammar, for replies that are nothing but the value. */
export function rootGrammar({ rules, rule }: SchemaGrammar): string {
  return `root ::= ${rule}\n${rules}`;
}
