import { invalidRequest } from '../../errors.ts';
import type { Media } from '../../media.ts';
import type { ModelCard } from '../../model.ts';
import type { ChatMessage, ChatPrompt, GenerationRequest, ReplyFormat, ToolChoice } from '../../runner.ts';
import { toSampling, toStop } from '../fields/sampling.ts';
import { joinContent } from './media.ts';
import type { ChatRequest } from './schema.ts';

/**
 * Turns a validated chat request into the engines' form. Adds the model's default values and the server's content
 * filter. `media` has the images and recordings of each message.
 */
export function toGenerationRequest(
  request: ChatRequest,
  model: ModelCard,
  banned: string[],
  media: Media[][] = [],
): GenerationRequest {
  return {
    prompt: toChatPrompt(request, model, media),
    replyFormat: toReplyFormat(request),
    sampling: toSampling(request, model),
    stop: toStop(request, model),
    banned,
    maxTokens: toMaxTokens(request, model),
    cachePrompt: request.cache_prompt ?? true,
    choices: request.n ?? 1,
    logprobs: request.logprobs ? (request.top_logprobs ?? 0) : null,
  };
}

function toChatPrompt(request: ChatRequest, model: ModelCard, media: Media[][]): ChatPrompt {
  const messages = request.messages.map((message, index) => toChatMessage(message, media[index] ?? []));
  const systemPrompt = model.settings.system_prompt;
  const needsSystemPrompt = systemPrompt && !messages.some(({ role }) => role === 'system');
  const { reasoning_effort: effort } = request;
  return {
    kind: 'chat',
    messages: needsSystemPrompt ? [{ role: 'system', content: systemPrompt }, ...messages] : messages,
    tools: (request.tools ?? []).map(({ function: { name, description, parameters } }) => ({
      name,
      ...(description && { description }),
      ...(parameters && { parameters }),
    })),
    toolChoice: toToolChoice(request),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    templateKwargs: {
      // Templates use different names: gpt-oss reads an effort, Qwen and similar models a switch.
      ...(effort && { reasoning_effort: effort, enable_thinking: effort !== 'none' }),
      ...request.chat_template_kwargs,
    },
  };
}

function toToolChoice({ tool_choice: choice, tools }: ChatRequest): ToolChoice {
  if (!tools || tools.length === 0) {
    if (choice && choice !== 'none' && choice !== 'auto')
      throw invalidRequest('tool_choice needs tools.', 'tool_choice');
    return 'none';
  }
  if (typeof choice !== 'object' || choice === null) return choice ?? 'auto';
  const { name } = choice.function;
  if (tools.some((tool) => tool.function.name === name)) return { name };
  throw invalidRequest(`tool_choice names the function '${name}', which is not among the tools.`, 'tool_choice');
}

function toReplyFormat({ response_format: format }: ChatRequest): ReplyFormat {
  switch (format?.type) {
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return {
        kind: 'schema',
        schema: format.json_schema.schema ?? {},
        param: 'response_format.json_schema.schema',
      };
    default:
      return { kind: 'text' };
  }
}

/** An explicit null asks for no limit and so overrides the model's own. */
function toMaxTokens({ max_completion_tokens, max_tokens }: ChatRequest, { parameters }: ModelCard): number | null {
  const asked = max_completion_tokens ?? max_tokens;
  return asked === undefined ? (parameters.max_tokens ?? null) : asked;
}

function toChatMessage(message: ChatRequest['messages'][number], media: Media[]): ChatMessage {
  return {
    role: message.role === 'developer' ? 'system' : message.role,
    content: joinContent(message.content),
    ...(media.length > 0 && { media }),
    ...(typeof message.name === 'string' && { name: message.name }),
    ...(message.tool_calls && { tool_calls: message.tool_calls }),
    ...(typeof message.tool_call_id === 'string' && { tool_call_id: message.tool_call_id }),
  };
}
