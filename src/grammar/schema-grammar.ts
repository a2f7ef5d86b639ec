import type { JsonSchema } from '../contract/json-schema.ts';
import { checkGrammar } from './gbnf/check.ts';
import type { Expression } from './gbnf/expression.ts';
import { createRules, rulesText } from './gbnf/rules.ts';
import { createSchemaCompiler } from './schema/compiler.ts';
import { createSchemaContext, type SchemaCompiler } from './schema/context.ts';
import { checkLimits, MAX_GRAMMAR_SIZE } from './schema/limits.ts';
import { type MemberMarks, membersExpression } from './schema/marked-members.ts';
import { createRefuse } from './schema/refuse.ts';

export type { MemberMarks };

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
export function createSchemaGrammar(schema: JsonSchema, options: SchemaGrammarOptions): SchemaGrammar {
  return compileSchema(schema, options, (compiler) => compiler.compile(compiler.root));
}

/**
 * Compiles the schema of an object whose members have marks of their own in the place of JSON's. Every text of the
 * grammar stands for a valid object, unless the grammar is partial. Undeclared members are not written. Throws as
 * `createSchemaGrammar` does.
 */
export function createMemberGrammar(
  schema: JsonSchema,
  marks: MemberMarks,
  options: SchemaGrammarOptions,
): SchemaGrammar {
  return compileSchema(schema, options, (compiler) => membersExpression(compiler, marks));
}

function compileSchema(
  schema: JsonSchema,
  { param, prefix = '' }: SchemaGrammarOptions,
  compile: (compiler: SchemaCompiler) => Expression,
): SchemaGrammar {
  const refuse = createRefuse(param);
  checkLimits(schema, refuse);
  const rules = createRules(prefix, MAX_GRAMMAR_SIZE, (path) =>
    refuse(path, null, `takes a grammar of more than ${MAX_GRAMMAR_SIZE} parts`),
  );
  const context = createSchemaContext(schema, refuse);
  const start = rules.start(compile(createSchemaCompiler(context, rules)));
  const reachable = rules.reachable(start);
  checkGrammar(reachable, (path, reason) => refuse(path, null, reason));
  return { rules: rulesText(reachable), rule: start, isPartial: context.left.size > 0 };
}

/** The grammar of any JSON object, for a `response_format` of type `json_object`. */
export function jsonObjectGrammar(): SchemaGrammar {
  return createSchemaGrammar({ type: 'object' }, { param: 'response_format' });
}

/** Returns a complete grammar for replies that consist of the value alone. */
export function rootGrammar({ rules, rule }: Pick<SchemaGrammar, 'rules' | 'rule'>): string {
  return `root ::= ${rule}\n${rules}`;
}
