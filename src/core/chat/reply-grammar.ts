import type { JsonSchema } from '../grammar/json-schema.ts';
import { createSchemaGrammar, jsonObjectGrammar, rootGrammar } from '../grammar/schema-grammar.ts';
import type { ChatPrompt, ReplyFormat } from '../runner.ts';
import type { ChatFormat, Tool } from './formats/format.ts';
import { allowsSeveralCalls, callableTools, mustCall } from './tools.ts';

const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/**
 * Returns the GBNF grammar of a reply; null if the reply is free. A forced call is written in the model's own format.
 * If the request asks for JSON and has tools, the reply is either the JSON or calls. Throws a 400 `ApiError` for a
 * schema that can't be enforced.
 */
export function replyGrammar(chat: ChatPrompt, replyFormat: ReplyFormat, format: ChatFormat): string | null {
  const tools = callableTools(chat);
  if (mustCall(chat)) return callGrammar(chat, tools, format);
  if (replyFormat.kind === 'text') return null;
  const json =
    replyFormat.kind === 'json'
      ? jsonObjectGrammar()
      : createSchemaGrammar(replyFormat.schema, { param: replyFormat.param, prefix: 'reply' });
  if (tools.length === 0) return rootGrammar(json);
  const calls = callGrammar(chat, tools, format).replace(/^root ::=/m, 'call-root ::=');
  return `root ::= ${json.rule} | call-root\n${calls}\n${json.rules}`;
}

function callGrammar(chat: ChatPrompt, tools: Tool[], format: ChatFormat): string {
  const { tools: all } = chat;
  const rules: string[] = [];
  const argumentsRule = (tool: Tool) => {
    const index = all.indexOf(tool);
    const grammar = createSchemaGrammar(toArgumentsSchema(tool), {
      param: `tools[${index}].function.parameters`,
      prefix: `tool${index}`,
    });
    rules.push(grammar.rules);
    return grammar.rule;
  };
  const calls = format.toolGrammar(tools, allowsSeveralCalls(chat), argumentsRule);
  return [calls, ...new Set(rules)].join('\n');
}

/** Returns the schema of a tool's arguments. They are always an object, even if the schema doesn't say so. */
function toArgumentsSchema({ parameters }: Tool): JsonSchema {
  if (parameters === undefined) return NO_ARGUMENTS;
  return typeof parameters === 'object' && parameters.type === undefined
    ? { ...parameters, type: 'object' }
    : parameters;
}
