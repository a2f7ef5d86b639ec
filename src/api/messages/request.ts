import { type ApiError, invalidRequest } from '../../contract/errors.ts';
import type { ReplyFormat } from '../../contract/generation-request.ts';
import type { ToolChoice } from '../../contract/prompt.ts';
import type { Tool } from '../../contract/tool.ts';
import { type Conversation, checkToolChoice, checkTools, type Message, toTool } from '../generation/conversation.ts';
import { fromAnthropicMessages } from './history.ts';
import type { CountTokensRequest, MessagesRequest } from './schema.ts';

/** Translates a validated request into a conversation. Throws a 400 `ApiError` for unsupported fields. */
export function toMessagesConversation(request: MessagesRequest): Conversation {
  const conversation = toCountedConversation(request);
  checkLastMessage(conversation.messages.at(-1));
  const { temperature, top_p, top_k, lora, stop_sequences: stop } = request;
  return { ...conversation, sampling: { temperature, top_p, top_k, lora, stop }, maxTokens: request.max_tokens };
}

/** Translates the fields that affect the tokens of a prompt. Throws as `toMessagesConversation` does. */
export function toCountedConversation(request: CountTokensRequest): Conversation {
  if (request.thread) throw threadUnsupported();
  const functions = toFunctions(request);
  const places = functions.map(({ place }) => place);
  const tools = checkTools(
    functions.map(({ tool }) => tool),
    (index) => `${places[index]}.name`,
  );
  const { tool_choice: choice } = request;
  return {
    messages: fromAnthropicMessages(request),
    tools,
    toolParams: places.map((place) => `${place}.input_schema`),
    toolChoice: checkToolChoice(toToolChoice(choice), tools),
    parallelToolCalls: !(choice && choice.type !== 'none' && choice.disable_parallel_tool_use),
    replyFormat: toReplyFormat(request),
    reasoningEffort: toReasoningEffort(request),
    ...(request.thinking?.type === 'enabled' && { thinkingBudget: request.thinking.budget_tokens }),
    templateKwargs: {},
    sampling: {},
    maxTokens: undefined,
    logprobs: null,
  };
}

/** Throws a 400 `ApiError` if a reply can't follow the last message. */
function checkLastMessage(last: Message | undefined): void {
  if (!last || last.role === 'system')
    throw invalidRequest('messages must have a user message that is not empty.', 'messages');
  if (last.role === 'assistant') {
    const message =
      'messages must end with a user message: a reply that begins with given text (assistant prefill) is not supported.';
    throw invalidRequest(message, 'messages', 'unsupported_parameter');
  }
}

/** 400: no conversation is stored here. At this code, Anthropic's SDK sends the whole conversation instead. */
function threadUnsupported(): ApiError {
  const message = 'thread is not supported: send the whole conversation in messages, without thread.';
  return invalidRequest(message, 'thread', 'thread_unsupported_request');
}

/**
 * Returns the client's own tools, each with its path in the request. Tools that Anthropic defines have no schema, and
 * are left out. Tools with `defer_loading` are included from the beginning, so that the prefix of the prompt stays the
 * same. Throws a 400 `ApiError` for a tool without a name or a schema.
 */
function toFunctions({ tools }: CountTokensRequest): { tool: Tool; place: string }[] {
  return (tools ?? []).flatMap(({ type, name, description, input_schema: parameters }, index) => {
    if (!parameters && type && type !== 'custom') return [];
    const place = `tools[${index}]`;
    if (!name) throw invalidRequest(`${place}.name is required.`, `${place}.name`);
    if (!parameters) throw invalidRequest(`${place}.input_schema is required.`, `${place}.input_schema`);
    return [{ tool: toTool({ name, description, parameters }), place }];
  });
}

function toToolChoice(choice: CountTokensRequest['tool_choice']): ToolChoice | undefined {
  switch (choice?.type) {
    case 'any':
      return 'required';
    case 'tool':
      return { name: choice.name };
    default:
      return choice?.type;
  }
}

function toReplyFormat({ output_config: config, output_format: format }: CountTokensRequest): ReplyFormat {
  if (config?.format) return { kind: 'schema', schema: config.format.schema, param: 'output_config.format.schema' };
  return format ? { kind: 'schema', schema: format.schema, param: 'output_format.schema' } : { kind: 'text' };
}

/**
 * The largest thinking budget, in tokens, that means the effort `low`. Templates take an effort, not a number of
 * tokens.
 */
const LOW_BUDGET = 4096;
const MEDIUM_BUDGET = 16_384;

/** Returns the reasoning effort; undefined, also for adaptive thinking, leaves it to the template. */
function toReasoningEffort({ thinking, output_config: config }: CountTokensRequest): string | undefined {
  if (thinking?.type === 'disabled') return 'none';
  if (config?.effort) return config.effort === 'max' ? 'xhigh' : config.effort;
  if (thinking?.type !== 'enabled') return undefined;
  const { budget_tokens: budget } = thinking;
  if (budget > MEDIUM_BUDGET) return 'high';
  return budget > LOW_BUDGET ? 'medium' : 'low';
}
