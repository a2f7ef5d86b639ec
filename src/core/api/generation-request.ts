import { invalidRequest } from '../errors.ts';
import type { ModelCard } from '../model.ts';
import type { ChatMessage, GenerationRequest, Sampling } from '../runner.ts';
import type { ChatRequest } from './chat-schema.ts';

/** What holds where neither the request nor the model says anything: the defaults of the API contract. */
const DEFAULTS: Omit<Sampling, 'seed' | 'logitBias'> = {
  temperature: 0.7,
  topP: 0.95,
  topK: 40,
  minP: 0,
  typicalP: 1,
  repeatPenalty: 1.1,
  repeatLastN: 64,
  presencePenalty: 0,
  frequencyPenalty: 0,
  dynatempRange: 0,
  dynatempExponent: 1,
  mirostat: 0,
  mirostatTau: 5,
  mirostatEta: 0.1,
};

/** A validated request and the model's own defaults, resolved into what an engine takes. */
export function toGenerationRequest(request: ChatRequest, model: ModelCard): GenerationRequest {
  const messages = request.messages.map((message, index) => toChatMessage(message, index, model));
  const systemPrompt = model.settings.system_prompt;
  const needsSystemPrompt = systemPrompt && !messages.some(({ role }) => role === 'system');
  return {
    messages: needsSystemPrompt ? [{ role: 'system', content: systemPrompt }, ...messages] : messages,
    sampling: toSampling(request, model),
    stop: [request.stop ?? model.parameters.stop ?? []].flat(),
    maxTokens: toMaxTokens(request, model),
    cachePrompt: request.cache_prompt ?? true,
    templateKwargs: request.chat_template_kwargs ?? {},
  };
}

/** A null asks for no cap, and so overrides the model's own. */
function toMaxTokens({ max_completion_tokens, max_tokens }: ChatRequest, { parameters }: ModelCard): number | null {
  const asked = max_completion_tokens ?? max_tokens;
  return asked === undefined ? (parameters.max_tokens ?? null) : asked;
}

function toSampling(request: ChatRequest, { parameters, settings }: ModelCard): Sampling {
  return {
    temperature: request.temperature ?? parameters.temperature ?? settings.temperature ?? DEFAULTS.temperature,
    topP: request.top_p ?? parameters.top_p ?? settings.top_p ?? DEFAULTS.topP,
    topK: Math.max(0, request.top_k ?? parameters.top_k ?? settings.top_k ?? DEFAULTS.topK),
    minP: request.min_p ?? settings.min_p ?? DEFAULTS.minP,
    typicalP: request.typical_p ?? DEFAULTS.typicalP,
    repeatPenalty: request.repeat_penalty ?? settings.repeat_penalty ?? DEFAULTS.repeatPenalty,
    repeatLastN: request.repeat_last_n ?? DEFAULTS.repeatLastN,
    presencePenalty:
      request.presence_penalty ?? parameters.presence_penalty ?? settings.presence_penalty ?? DEFAULTS.presencePenalty,
    frequencyPenalty:
      request.frequency_penalty ??
      parameters.frequency_penalty ??
      settings.frequency_penalty ??
      DEFAULTS.frequencyPenalty,
    dynatempRange: request.dynatemp_range ?? DEFAULTS.dynatempRange,
    dynatempExponent: request.dynatemp_exponent ?? DEFAULTS.dynatempExponent,
    mirostat: request.mirostat ?? DEFAULTS.mirostat,
    mirostatTau: request.mirostat_tau ?? DEFAULTS.mirostatTau,
    mirostatEta: request.mirostat_eta ?? DEFAULTS.mirostatEta,
    seed: toSeed(request.seed),
    logitBias: Object.entries(request.logit_bias ?? {}).map(([token, bias]) => [Number(token), bias]),
  };
}

/**
 * Any integer as an unsigned 32-bit seed; none, or llama.cpp's -1, is a random one. Never 2^32 - 1: to llama.cpp that
 * means a random seed too, and what is asked for by number must be repeatable.
 */
function toSeed(seed: number | null | undefined): number {
  const random = seed === null || seed === undefined || seed === -1;
  const number = random
    ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
    : Number(BigInt.asUintN(32, BigInt(seed)));
  return Math.min(number, 0xfffffffe);
}

function toChatMessage(message: ChatRequest['messages'][number], index: number, model: ModelCard): ChatMessage {
  return {
    role: message.role === 'developer' ? 'system' : message.role,
    content: toContent(message.content, index, model),
    ...(typeof message.name === 'string' && { name: message.name }),
    ...(message.tool_calls && { tool_calls: message.tool_calls }),
    ...(typeof message.tool_call_id === 'string' && { tool_call_id: message.tool_call_id }),
  };
}

function toContent(
  content: ChatRequest['messages'][number]['content'],
  message: number,
  model: ModelCard,
): ChatMessage['content'] {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.map((part, index) => {
    if (part.type === 'text') return part.text;
    const modality = part.type === 'image_url' ? 'images' : 'audio';
    throw invalidRequest(
      `The model '${model.id}' does not accept ${modality}.`,
      `messages[${message}].content[${index}]`,
      'unsupported_content',
    );
  });
  // Joined here, since templates differ in what they put between the parts.
  return texts.join('');
}
