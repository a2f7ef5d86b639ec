import type { ReplyFormat } from '../contract/generation-request.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import type { ChatPrompt } from '../contract/prompt.ts';
import {
  createChoiceGrammar,
  createPatternGrammar,
  createWrittenGrammar,
  type FormGrammar,
} from '../grammar/form-grammar.ts';
import { createMemberGrammar, createSchemaGrammar, jsonObjectGrammar, rootGrammar } from '../grammar/schema-grammar.ts';
import { textUpTo } from '../grammar/text-up-to.ts';
import type { ChatFormat, ReasoningMarks, Tool } from './formats/format.ts';
import { gbnfLiteral } from './formats/writing.ts';
import type { ReplyChecks } from './reply-check.ts';
import { allowsSeveralCalls, callableTools, mustCall } from './tools.ts';

const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/** The grammar of a reply, and the schemas that it does not enforce in full. */
export interface ReplyGrammar {
  /** In GBNF; null if the reply is free. */
  grammar: string | null;
  /** Null if the grammar enforces everything, and if the reply is free. */
  checks: ReplyChecks | null;
}

/**
 * Returns the grammar of a reply. A forced call is written in the model's own format. If the request asks for JSON and
 * has tools, the reply is either the JSON or calls. Throws a 400 `ApiError` for a schema that can be neither enforced
 * nor checked, and for a grammar or a pattern that can't be enforced.
 */
export function replyGrammar(chat: ChatPrompt, replyFormat: ReplyFormat, format: ChatFormat): ReplyGrammar {
  if (replyFormat.kind === 'options') return formGrammar(replyFormat);
  const tools = callableTools(chat);
  const forced = mustCall(chat);
  if (!forced && (replyFormat.kind === 'text' || tools.length === 0)) return formGrammar(replyFormat);
  const calls = callGrammar(chat, tools, format);
  if (forced || replyFormat.kind === 'text') return { grammar: calls.grammar, checks: toChecks(null, calls.partial) };
  const { form, partial } = compileForm(replyFormat);
  const callRules = calls.grammar.replace(/^root ::=/m, 'call-root ::=');
  return {
    grammar: `root ::= ${gbnfLiteral(format.answerOpen ?? '')} ${form.rule} | call-root\n${callRules}\n${form.rules}`,
    checks: toChecks(partial, calls.partial),
  };
}

/**
 * Returns the grammar of a reply that begins within reasoning: then come the marks that end it, `opening`, and a text of
 * the other grammar.
 */
export function afterThoughts(grammar: string, { close, next }: ReasoningMarks, opening: string): string {
  const thoughts = textUpTo(close, 'thoughts');
  const between = next === undefined ? '[ \\n]{0,2}' : gbnfLiteral(next);
  const root = `root ::= ${thoughts.rule} ${between} ${gbnfLiteral(opening)} after-thoughts`;
  return `${root}\n${thoughts.rules}${grammar.replace(/^root ::=/m, 'after-thoughts ::=')}`;
}

/** Returns the grammar of a reply that has no calls. Throws a 400 `ApiError` as `replyGrammar` does. */
export function formGrammar(replyFormat: ReplyFormat): ReplyGrammar {
  if (replyFormat.kind === 'text') return { grammar: null, checks: null };
  const { form, partial } = compileForm(replyFormat);
  return { grammar: rootGrammar(form), checks: toChecks(partial, []) };
}

function toChecks(reply: JsonSchema | null, calls: ReplyChecks['calls']): ReplyChecks | null {
  return reply === null && calls.length === 0 ? null : { reply, calls };
}

/** Returns the grammar of a reply in a form, and the schema of the form if that is not enforced in full. */
function compileForm(replyFormat: Exclude<ReplyFormat, { kind: 'text' }>): {
  form: FormGrammar;
  partial: JsonSchema | null;
} {
  switch (replyFormat.kind) {
    case 'json':
      return { form: jsonObjectGrammar(), partial: null };
    case 'schema': {
      const form = createSchemaGrammar(replyFormat.schema, { param: replyFormat.param, prefix: 'reply' });
      return { form, partial: form.isPartial ? replyFormat.schema : null };
    }
    case 'grammar':
      return { form: createWrittenGrammar(replyFormat.grammar, replyFormat.param), partial: null };
    case 'pattern':
      return { form: createPatternGrammar(replyFormat.pattern, replyFormat.param), partial: null };
    case 'choice':
    case 'options':
      return { form: createChoiceGrammar(replyFormat.texts, replyFormat.param), partial: null };
    default:
      return replyFormat satisfies never;
  }
}

/** Returns the grammar of calls, and the schemas that it does not enforce in full, by the names of their tools. */
function callGrammar(
  chat: ChatPrompt,
  tools: Tool[],
  format: ChatFormat,
): { grammar: string; partial: ReplyChecks['calls'] } {
  const { tools: all, toolParams } = chat;
  const rules: string[] = [];
  const partial = new Map<string, JsonSchema>();
  const argumentsRule = (tool: Tool) => {
    const index = all.indexOf(tool);
    const schema = toArgumentsSchema(tool);
    const options = {
      param: toolParams?.[index] ?? `tools[${index}].function.parameters`,
      prefix: `tool${index}`,
    };
    const { members } = format;
    const grammar = members ? createMemberGrammar(schema, members, options) : createSchemaGrammar(schema, options);
    if (grammar.isPartial) partial.set(tool.name, schema);
    rules.push(grammar.rules);
    return grammar.rule;
  };
  const calls = format.toolGrammar(tools, allowsSeveralCalls(chat), argumentsRule);
  return { grammar: [calls, ...new Set(rules)].join('\n'), partial: [...partial] };
}

/** Returns the schema of a tool's arguments. They are always an object, even if the schema doesn't say so. */
function toArgumentsSchema({ parameters }: Tool): JsonSchema {
  if (parameters === undefined) return NO_ARGUMENTS;
  return typeof parameters === 'object' && parameters.type === undefined
    ? { ...parameters, type: 'object' }
    : parameters;
}
