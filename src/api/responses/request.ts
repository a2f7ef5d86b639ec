import { unsupportedParameter } from '../../contract/errors.ts';
import type { ReplyFormat } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { ToolChoice } from '../../contract/prompt.ts';
import type { Tool } from '../../contract/tool.ts';
import { toSampling } from '../fields/sampling.ts';
import { type Conversation, checkNames, checkToolChoice, checkTools, toTool } from '../generation/conversation.ts';
import { newPrefixedId } from '../generation/ids.ts';
import { conversationIdOf } from './input.ts';
import { fromResponseItems, type PlacedItem } from './messages.ts';
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

/**
 * Translates a validated request into a conversation. `items` is its whole input, references resolved. Throws a 400
 * `ApiError` for a call of a tool that is not there, and for content that is not supported.
 */
export function toResponsesConversation(request: ResponseRequest, items: PlacedItem[]): Conversation {
  const functions = toFunctions(request);
  const places = functions.map(({ place }) => place);
  const tools = checkTools(
    functions.map(({ tool }) => tool),
    (index) => `${places[index]}.name`,
  );
  return {
    messages: fromResponseItems(request.instructions ?? null, items),
    param: 'input',
    tools,
    toolParams: places.map((place) => `${place}.parameters`),
    toolChoice: checkToolChoice(toToolChoice(request), tools),
    allowedTools: toAllowedTools(request, tools),
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

function toToolChoice({ tool_choice: choice }: ResponseRequest): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined;
  return choice.type === 'function' ? { name: choice.name } : choice.mode;
}

function toAllowedTools({ tool_choice: choice }: ResponseRequest, tools: Tool[]): string[] | undefined {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return undefined;
  const names = choice.tools.flatMap(({ type, name }) => (type === 'function' && name ? [name] : []));
  return checkNames(names, tools);
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
