import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { ReplyFormat } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { ToolChoice } from '../../contract/prompt.ts';
import type { Tool } from '../../contract/tool.ts';
import { toSampling } from '../fields/sampling.ts';
import { type Conversation, checkNames, checkToolChoice, checkTools, toTool } from '../generation/conversation.ts';
import { newPrefixedId } from '../generation/ids.ts';
import { findOffered, type McpOffer, type PlacedEntry, possibleChoice, toOfferedTool } from '../mcp/offer.ts';
import type { McpEntry } from '../mcp/schema.ts';
import { conversationIdOf } from './input.ts';
import type { PlacedItem } from './items.ts';
import { fromResponseItems, type McpHistory } from './messages.ts';
import type { ResponseHead } from './objects.ts';
import type { ResponseRequest } from './schema.ts';

/**
 * Fields that would change the reply and are not supported: fields of OpenAI, and fields of the other endpoints here.
 */
export const REFUSED_RESPONSE_FIELDS = [
  'moderation',
  'prompt',
  'n',
  'best_of',
  'max_tokens',
  'n_predict',
  'return_progress',
  'context_overflow',
];

/** The value of `include` for log probabilities. Its other values are for tools that OpenAI's servers run. */
const LOGPROBS = 'message.output_text.logprobs';

/** Throws a 400 `ApiError` for values that the schema allows but that are not supported. */
export function refuseUnsupported({ background }: ResponseRequest): void {
  if (background)
    throw unsupportedParameter('background', 'background is not supported: a client waits for its reply.');
}

/** Returns the entries for MCP servers among the tools of a request. */
export function responseMcpEntries({ tools }: ResponseRequest): PlacedEntry[] {
  return (tools ?? []).flatMap((tool, index) =>
    tool.type === 'mcp' ? [{ entry: tool as McpEntry, place: `tools[${index}]` }] : [],
  );
}

/** Returns the names of the functions of a request. */
export function functionNames(request: ResponseRequest): string[] {
  return toFunctions(request).map(({ tool }) => tool.name);
}

/**
 * Translates a validated request into a conversation. `items` is its whole input, references resolved, and `history` has
 * the tools of MCP servers that the request offers. Throws a 400 `ApiError` for a call of a tool that is not there, and
 * for content that is not supported.
 */
export function toResponsesConversation(
  request: ResponseRequest,
  items: PlacedItem[],
  history: McpHistory,
): Conversation {
  const { offer } = history;
  const functions = toFunctions(request);
  const places = functions.map(({ place }) => place);
  checkTools(
    functions.map(({ tool }) => tool),
    (index) => `${places[index]}.name`,
  );
  const tools = [...functions.map(({ tool }) => tool), ...offer.tools.map(toOfferedTool)];
  const toolParams = [...places.map((place) => `${place}.parameters`), ...offer.tools.map(({ place }) => place)];
  return {
    messages: fromResponseItems(request.instructions ?? null, items, history),
    param: 'input',
    tools,
    toolParams,
    toolChoice: checkToolChoice(possibleChoice(toToolChoice(request, offer), tools, offer), tools),
    allowedTools: toAllowedTools(request, tools, offer),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    replyFormat: toReplyFormat(request),
    reasoningEffort: request.reasoning?.effort ?? undefined,
    templateKwargs: {},
    sampling: request,
    maxTokens: request.max_output_tokens ?? undefined,
    logprobs: wantsLogprobs(request) ? (request.top_logprobs ?? 0) : null,
  };
}

function wantsLogprobs({ include, top_logprobs: top }: ResponseRequest): boolean {
  return include?.includes(LOGPROBS) || typeof top === 'number';
}

/** Returns the function tools, each with its path in the request. Other tools are left out. */
function toFunctions({ tools }: ResponseRequest): { tool: Tool; place: string }[] {
  return (tools ?? []).flatMap((tool, index) =>
    tool.type === 'function' ? [{ tool: toTool(tool as FunctionTool), place: `tools[${index}]` }] : [],
  );
}

function toToolChoice({ tool_choice: choice }: ResponseRequest, offer: McpOffer): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined;
  switch (choice.type) {
    case 'function':
      return { name: choice.name };
    case 'mcp':
      return choice.name
        ? { name: namesOf([choice], offer)[0] ?? choice.name }
        : anyOfServer(choice.server_label, offer);
    default:
      return choice.mode;
  }
}

/** Returns the choice of any tool of a server. Throws a 400 `ApiError` if the request offers none of it. */
function anyOfServer(label: string, offer: McpOffer): ToolChoice | undefined {
  if (offer.tools.some(({ server }) => server.label === label)) return 'required';
  if (offer.listings.some((listing) => listing.label === label && listing.error !== null)) return undefined;
  throw invalidRequest(`tool_choice names the MCP server '${label}', of which tools offers no tool.`, 'tool_choice');
}

/** Returns the names of the tools that may be called; undefined if all may. */
function toAllowedTools(
  { tool_choice: choice }: ResponseRequest,
  tools: Tool[],
  offer: McpOffer,
): string[] | undefined {
  if (typeof choice !== 'object' || choice === null || choice.type === 'function') return undefined;
  if (choice.type === 'mcp') {
    const names = choice.name ? [] : namesOf([choice], offer);
    return names.length > 0 ? names : undefined;
  }
  return checkNames(namesOf(choice.tools, offer), tools);
}

interface NamedTool {
  type: string;
  name?: string | null | undefined;
  server_label?: string | null | undefined;
}

/** Returns the names by which the model calls tools. A server without a name stands for all of its tools. */
function namesOf(named: NamedTool[], offer: McpOffer): string[] {
  return named.flatMap(({ type, name, server_label: label }) => {
    if (type === 'function') return name ? [name] : [];
    if (type !== 'mcp' || !label) return [];
    if (name) return [findOffered(offer, label, name)?.name ?? name];
    return offer.tools.filter(({ server }) => server.label === label).map((tool) => tool.name);
  });
}

type FunctionTool = Extract<NonNullable<ResponseRequest['tools']>[number], { type: 'function' }>;

function toReplyFormat({ text }: ResponseRequest): ReplyFormat {
  const format = text?.format;
  switch (format?.type) {
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return { kind: 'schema', schema: format.schema, param: 'text.format.schema' };
    default:
      return { kind: 'text' };
  }
}

/** Returns the fields of a response that come from its request. `now` is Unix time in ms. */
export function toHead(request: ResponseRequest, model: ModelCard, now: number): ResponseHead {
  const { temperature, topP } = toSampling(request, model);
  const conversationId = conversationIdOf(request);
  return {
    id: newPrefixedId('resp'),
    object: 'response',
    created_at: Math.floor(now / 1000),
    model: model.id,
    background: false,
    ...(conversationId !== null && { conversation: { id: conversationId } }),
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    ...(typeof request.max_tool_calls === 'number' && { max_tool_calls: request.max_tool_calls }),
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
    store: request.store ?? true,
    temperature,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(toToolObject),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: topP,
    truncation: 'disabled',
  };
}

/** OpenAI's own clients expect every field of a function. */
function toToolObject(tool: NonNullable<ResponseRequest['tools']>[number]): object {
  return tool.type === 'function' ? { description: null, parameters: null, strict: false, ...tool } : tool;
}
