import type { ReplyFormat } from '../contract/generation-request.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import type { ChatPrompt } from '../contract/prompt.ts';
import { optionsGrammar } from '../grammar/options-grammar.ts';
import {
  createMemberGrammar,
  createSchemaGrammar,
  jsonObjectGrammar,
  rootGrammar,
  type SchemaGrammar,
} from '../grammar/schema-grammar.ts';
import type { ChatFormat, Tool } from './formats/format.ts';
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
 * nor checked.
 */
export function replyGrammar(chat: ChatPrompt, replyFormat: ReplyFormat, format: ChatFormat): ReplyGrammar {
  if (replyFormat.kind === 'options') return { grammar: optionsGrammar(replyFormat.options), checks: null };
  const tools = callableTools(chat);
  const forced = mustCall(chat);
  if (!forced && replyFormat.kind === 'text') return { grammar: null, checks: null };
  const calls = forced || tools.length > 0 ? callGrammar(chat, tools, format) : { grammar: '', partial: [] };
  if (forced) return { grammar: calls.grammar, checks: toChecks(null, calls.partial) };
  const { json, partial } = jsonGrammar(replyFormat);
  const checks = toChecks(partial, calls.partial);
  if (tools.length === 0) return { grammar: rootGrammar(json), checks };
  const callRules = calls.grammar.replace(/^root ::=/m, 'call-root ::=');
  return { grammar: `root ::= ${json.rule} | call-root\n${callRules}\n${json.rules}`, checks };
}

function toChecks(reply: JsonSchema | null, calls: ReplyChecks['calls']): ReplyChecks | null {
  return reply === null && calls.length === 0 ? null : { reply, calls };
}

/** Returns the grammar of a reply that is JSON, and its schema if that is not enforced in full. */
function jsonGrammar(replyFormat: ReplyFormat): { json: SchemaGrammar; partial: JsonSchema | null } {
  if (replyFormat.kind !== 'schema') return { json: jsonObjectGrammar(), partial: null };
  const json = createSchemaGrammar(replyFormat.schema, { param: replyFormat.param, prefix: 'reply' });
  return { json, partial: json.isPartial ? replyFormat.schema : null };
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
