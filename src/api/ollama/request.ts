import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { GenerationRequest, ReplyFormat } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { Prompt } from '../../contract/prompt.ts';
import {
  type Conversation,
  checkToolChoice,
  checkTools,
  type Message,
  textContent,
  toTool,
} from '../generation/conversation.ts';
import { toSettings } from '../generation/request.ts';
import { capabilitiesOf } from '../models/model-object.ts';
import { toMediaParts } from './images.ts';
import { fromOllamaMessages } from './messages.ts';
import { toMaxTokens, toSamplingFields } from './options.ts';
import type { OllamaChatBody, OllamaGenerateBody } from './schema.ts';

type ReplyBody = Pick<OllamaChatBody, 'format' | 'think' | 'options' | 'lora' | 'logprobs' | 'top_logprobs'>;

/**
 * Returns the conversation of POST /api/chat. Throws a 400 `ApiError` for fields that the model or this API does not
 * support.
 */
export function toOllamaConversation(body: OllamaChatBody, model: ModelCard): Conversation {
  const functions = (body.tools ?? []).map((tool) => toTool(tool.function));
  const tools = checkTools(functions, (index) => `tools[${index}].function.name`);
  return {
    ...toConversation(fromOllamaMessages(body.messages ?? []), body, model),
    tools,
    toolChoice: checkToolChoice(undefined, tools),
  };
}

/** Returns the conversation of POST /api/generate: one message, after the system message if the request has one. */
export function toSingleTurn(body: OllamaGenerateBody, model: ModelCard): Conversation {
  const content = [...toMediaParts(body.images, 'images'), ...textContent(body.prompt ?? '')];
  const messages: Message[] = [
    ...(body.system ? [{ role: 'system' as const, content: textContent(body.system) }] : []),
    { role: 'user', content },
  ];
  return toConversation(messages, body, model);
}

/** Returns the text that POST /api/generate continues without the chat template; null for a conversation. */
export function toTextPrompt(body: OllamaGenerateBody): Prompt | null {
  const text = body.prompt ?? '';
  const kind = body.suffix ? 'suffix' : body.raw ? 'raw' : null;
  if (kind === null) return null;
  refuseChatFields(body, kind);
  return body.suffix ? { kind: 'infill', prefix: text, suffix: body.suffix } : { kind: 'text', text };
}

/** Returns the request to continue a text, with the model's defaults and the server's content filter. */
export function toTextGeneration(
  body: OllamaGenerateBody,
  prompt: Prompt,
  model: ModelCard,
  banned: string[],
): GenerationRequest {
  return { ...toSettings(toReplySettings(body), model, banned), prompt, replyFormat: { kind: 'text' } };
}

function refuseChatFields(body: OllamaGenerateBody, kind: 'suffix' | 'raw'): void {
  const given = {
    system: Boolean(body.system),
    images: Boolean(body.images?.length),
    think: Boolean(body.think),
    format: Boolean(body.format),
  };
  const field = Object.entries(given).find(([, isGiven]) => isGiven)?.[0];
  if (field) throw unsupportedParameter(field, `${field} is not supported with ${kind}, which continues a plain text.`);
}

function toConversation(messages: Message[], body: ReplyBody, model: ModelCard): Conversation {
  return {
    messages,
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: true,
    replyFormat: toReplyFormat(body),
    ...toThinking(body, model),
    ...toReplySettings(body),
  };
}

function toReplySettings(body: ReplyBody): Pick<Conversation, 'sampling' | 'maxTokens' | 'logprobs'> {
  const { options, lora } = body;
  return {
    sampling: { ...toSamplingFields(options), lora },
    maxTokens: toMaxTokens(options),
    logprobs: toLogprobs(body),
  };
}

function toReplyFormat({ format }: ReplyBody): ReplyFormat {
  if (!format) return { kind: 'text' };
  return format === 'json' ? { kind: 'json' } : { kind: 'schema', schema: format, param: 'format' };
}

/**
 * Returns the reasoning settings: `think` is a switch or an effort. Throws a 400 `ApiError` for a model without
 * reasoning, as Ollama.
 */
function toThinking({ think }: ReplyBody, model: ModelCard): Pick<Conversation, 'reasoningEffort' | 'templateKwargs'> {
  if (think && !capabilitiesOf(model).reasoning)
    throw unsupportedParameter('think', `The model '${model.id}' does not support thinking.`);
  if (think === true) return { templateKwargs: { enable_thinking: true } };
  return {
    templateKwargs: {},
    ...(typeof think === 'string' && { reasoningEffort: think }),
    ...(think === false && { reasoningEffort: 'none' }),
  };
}

function toLogprobs({ logprobs, top_logprobs: most }: ReplyBody): number | null {
  if (!logprobs && most) throw invalidRequest('top_logprobs needs logprobs to be true.', 'top_logprobs');
  return logprobs ? (most ?? 0) : null;
}
