import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { Media } from '../../contract/media.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { ChatMessage, ChatPrompt } from '../../contract/prompt.ts';
import { toSampling, toStopSequences } from '../fields/sampling.ts';
import type { Conversation, Message } from './conversation.ts';
import { toAppliedAdapters } from './lora.ts';
import { joinContent } from './media.ts';

/** The generation of a conversation. */
export type ChatGeneration = GenerationRequest & { prompt: ChatPrompt };

/**
 * Turns a conversation into the engines' form. Adds the model's default values and the server's content filter. `media`
 * has the images and recordings of each message.
 */
export function toGenerationRequest(
  conversation: Conversation,
  model: ModelCard,
  banned: string[],
  media: Media[][] = [],
): ChatGeneration {
  const { replyFormat, thinkingBudget } = conversation;
  return {
    ...toSettings(conversation, model, banned),
    prompt: toChatPrompt(conversation, model, media),
    replyFormat,
    ...(thinkingBudget !== undefined && { thinkingBudget }),
  };
}

/**
 * Returns a generation without its prompt and reply format. Each value is from the request, else from the model, else
 * from the server. Throws a 400 `ApiError` for a LoRA adapter that the model lacks.
 */
export function toSettings(
  { sampling, maxTokens, logprobs }: Pick<Conversation, 'sampling' | 'maxTokens' | 'logprobs'>,
  model: ModelCard,
  banned: string[],
): Omit<GenerationRequest, 'prompt' | 'replyFormat'> {
  const lora = toAppliedAdapters(sampling.lora, model);
  return {
    sampling: toSampling(sampling, model),
    stop: toStopSequences(sampling, model),
    banned,
    maxTokens: maxTokens === undefined ? (model.parameters.max_tokens ?? null) : maxTokens,
    cachePrompt: sampling.cache_prompt ?? true,
    ...(sampling.prompt_cache_key && { cacheKey: sampling.prompt_cache_key }),
    ...(lora.length > 0 && { lora }),
    choices: sampling.n ?? 1,
    logprobs,
  };
}

function toChatPrompt(conversation: Conversation, model: ModelCard, media: Media[][]): ChatPrompt {
  const messages = conversation.messages.map((message, index) => toChatMessage(message, media[index] ?? []));
  const systemPrompt = model.settings.system_prompt;
  const needsSystemPrompt = systemPrompt && !messages.some(({ role }) => role === 'system');
  const {
    continues,
    thoughtsInContent,
    tools,
    toolParams,
    toolChoice,
    allowedTools,
    parallelToolCalls,
    templateKwargs,
    reasoningEffort: effort,
    thinkingBudget: budget,
  } = conversation;
  return {
    kind: 'chat',
    messages: needsSystemPrompt ? [{ role: 'system', content: systemPrompt }, ...messages] : messages,
    ...(continues && { continues }),
    ...(thoughtsInContent && { thoughtsInContent }),
    tools,
    ...(toolParams && { toolParams }),
    toolChoice,
    ...(allowedTools && { allowedTools }),
    parallelToolCalls,
    templateKwargs: {
      // Templates use different names: gpt-oss reads an effort, Qwen and similar models a switch.
      ...(effort && { reasoning_effort: effort, enable_thinking: effort !== 'none' }),
      ...(budget !== undefined && { thinking_budget: budget, ...(budget === 0 && { enable_thinking: false }) }),
      ...templateKwargs,
    },
  };
}

function toChatMessage({ content, ...message }: Message, media: Media[]): ChatMessage {
  return { ...message, content: joinContent(content), ...(media.length > 0 && { media }) };
}
