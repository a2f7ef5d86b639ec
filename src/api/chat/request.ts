import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { ToolChoice } from '../../contract/prompt.ts';
import type { Tool } from '../../contract/tool.ts';
import { refuseBestOf } from '../fields/sampling.ts';
import { type Conversation, checkNames, checkToolChoice, checkTools, toTool } from '../generation/conversation.ts';
import { customTool } from '../generation/custom-tool.ts';
import { type McpOffer, NO_OFFER, possibleChoice, toOfferedTool } from '../mcp/offer.ts';
import { checkContinues } from './continues.ts';
import { fromChatMessage } from './message.ts';
import { fromOlderSpelling } from './older-functions.ts';
import { toReplyFormat } from './reply-format.ts';
import type { ChatRequest } from './schema.ts';

/**
 * Translates a validated chat request into a conversation. Throws a 400 `ApiError` for fields that can't be combined or
 * have no meaning here, and for a call of a tool that is not there.
 */
export function toChatConversation(asked: ChatRequest, offer: McpOffer = NO_OFFER): Conversation {
  const request = fromOlderSpelling(asked);
  refuseContradictions(request);
  const own = toOwnTools(request);
  checkTools(
    own.map(({ tool }) => tool),
    (index) => `${own[index]?.place}.name`,
  );
  const tools = [...own.map(({ tool }) => tool), ...offer.tools.map(toOfferedTool)];
  const toolParams = [...own.map(({ place }) => `${place}.parameters`), ...offer.tools.map(({ place }) => place)];
  const conversation: Conversation = {
    messages: request.messages.map(fromChatMessage),
    tools,
    ...(offer.tools.length > 0 && { toolParams }),
    toolChoice: checkToolChoice(possibleChoice(toToolChoice(request), tools, offer), tools),
    allowedTools: toAllowedTools(request, tools),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    replyFormat: toReplyFormat(request, tools),
    ...toReasoning(request),
    sampling: request,
    maxTokens: toMaxTokens(request),
    logprobs: request.logprobs ? (request.top_logprobs ?? 0) : null,
  };
  return checkContinues(request, conversation) ? { ...conversation, continues: true } : conversation;
}

function refuseContradictions(request: ChatRequest): void {
  refuseBestOf(request);
  if (request.top_logprobs && !request.logprobs)
    throw invalidRequest('top_logprobs needs logprobs to be true.', 'top_logprobs');
  if (request.reasoning?.exclude)
    throw unsupportedParameter('reasoning.exclude', 'reasoning.exclude is not supported.');
}

/** Returns the tools of the client, each with its path in the request. */
function toOwnTools({ tools }: ChatRequest): { tool: Tool; place: string }[] {
  return (tools ?? []).flatMap((tool, index) => {
    if (tool.type === 'mcp') return [];
    const own = tool.type === 'custom' ? customTool(tool.custom) : toTool(tool.function);
    return [{ tool: own, place: `tools[${index}].${tool.type}` }];
  });
}

/** Returns the names of the tools of the client. */
export function ownToolNames(request: ChatRequest): string[] {
  return toOwnTools(request).map(({ tool }) => tool.name);
}

/** Returns the names of the tools that take a free text. */
export function customNames({ tools }: ChatRequest): ReadonlySet<string> {
  return new Set((tools ?? []).flatMap((tool) => (tool.type === 'custom' ? [tool.custom.name] : [])));
}

type NamedTool = { type: 'function'; function: { name: string } } | { type: 'custom'; custom: { name: string } };

function nameOf(tool: NamedTool): string {
  return tool.type === 'custom' ? tool.custom.name : tool.function.name;
}

function toToolChoice({ tool_choice: choice }: ChatRequest): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice === 'any' ? 'required' : (choice ?? undefined);
  return choice.type === 'allowed_tools' ? choice.allowed_tools.mode : { name: nameOf(choice) };
}

function toAllowedTools({ tool_choice: choice }: ChatRequest, tools: Tool[]): string[] | undefined {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return undefined;
  return checkNames(choice.allowed_tools.tools.map(nameOf), tools);
}

/** Returns the reasoning settings. A word is an effort; true or false is a switch of the template. */
function toReasoning(
  request: ChatRequest,
): Pick<Conversation, 'reasoningEffort' | 'thinkingBudget' | 'thoughtsInContent' | 'templateKwargs'> {
  const { reasoning_effort, reasoning, think, thinking, enable_thinking, chat_template_kwargs } = request;
  const effort = reasoning_effort ?? reasoning?.effort ?? (typeof think === 'string' ? think : undefined);
  const thinks =
    enable_thinking ?? (typeof think === 'boolean' ? think : (reasoning?.enabled ?? switchOf(thinking?.type)));
  return {
    reasoningEffort: effort,
    thinkingBudget: toThinkingBudget(request),
    ...(request.reasoning_format === 'none' && { thoughtsInContent: true }),
    templateKwargs: { ...(typeof thinks === 'boolean' && { enable_thinking: thinks }), ...chat_template_kwargs },
  };
}

/** Returns the switch that a type of thinking means; undefined if the model decides. */
function switchOf(type: string | null | undefined): boolean | undefined {
  return type === 'enabled' || type === 'disabled' ? type === 'enabled' : undefined;
}

/** Returns the most tokens of a block of reasoning, from the first field that the request has; undefined for no limit. */
function toThinkingBudget(request: ChatRequest): number | undefined {
  const budget =
    request.thinking_budget ??
    request.thinking_budget_tokens ??
    request.reasoning_budget_tokens ??
    request.reasoning_budget ??
    request.thinking_token_budget ??
    request.thinking?.budget_tokens ??
    request.reasoning?.max_tokens;
  return typeof budget === 'number' && budget >= 0 ? budget : undefined;
}

/**
 * Returns the token limit of a request. An explicit null in `max_tokens`, like -1, means no limit, and overrides the
 * model's own limit.
 */
function toMaxTokens({ max_completion_tokens, max_tokens, n_predict }: ChatRequest): number | null | undefined {
  const limit = max_completion_tokens ?? max_tokens ?? n_predict;
  if (typeof limit === 'number') return limit === -1 ? null : limit;
  return max_tokens;
}
