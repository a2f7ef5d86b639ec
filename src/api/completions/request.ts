import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { Prompt } from '../../contract/prompt.ts';
import { toReplyForm } from '../fields/reply-form.ts';
import { refuseBestOf } from '../fields/sampling.ts';
import { toTextInputs } from '../fields/text-input.ts';
import { toSettings } from '../generation/request.ts';
import type { CompletionRequest } from './schema.ts';

/** OpenAI's default for plain completions, in tokens. A plain completion has no end of a turn at which to stop. */
const DEFAULT_MAX_TOKENS = 16;

/** Fields that change a chat's reply and have no meaning in a plain completion. */
export const CHAT_FIELDS = [
  'enable_thinking',
  'max_completion_tokens',
  'messages',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'think',
  'tool_choice',
  'tools',
  'top_logprobs',
];

/** Throws a 400 `ApiError` for fields that can't be combined. It names one of them. */
export function refuseContradictions(request: CompletionRequest): void {
  refuseBestOf(request);
  const { echo, logprobs, suffix } = request;
  if (echo && typeof logprobs === 'number' && typeof suffix === 'string')
    throw unsupportedParameter('logprobs', 'logprobs is not supported with echo and suffix together.');
}

/** Turns each prompt of the request into what an engine continues. Throws a 400 `ApiError` for tokens with a suffix. */
export function toPrompts({ prompt, suffix }: CompletionRequest): Prompt[] {
  return toTextInputs(prompt).map((input) => {
    const fills = typeof suffix === 'string';
    if (typeof input === 'string') {
      return fills ? { kind: 'infill', prefix: input, suffix } : { kind: 'text', text: input };
    }
    if (fills) throw invalidRequest('suffix needs a prompt that is text, not tokens.', 'suffix');
    return { kind: 'tokens', tokens: input };
  });
}

/**
 * Builds a generation without its prompt. Adds the model's default values and the server's content filter. Throws a 400
 * `ApiError` if more than one field asks for a form of the reply.
 */
export function toCompletionGeneration(
  request: CompletionRequest,
  model: ModelCard,
  banned: string[],
): Omit<GenerationRequest, 'prompt'> {
  const limit = request.max_tokens ?? request.n_predict ?? model.parameters.max_tokens ?? DEFAULT_MAX_TOKENS;
  const maxTokens = limit === -1 ? null : limit;
  return {
    ...toSettings({ sampling: request, maxTokens, logprobs: request.logprobs ?? null }, model, banned),
    replyFormat: toReplyForm(request),
    ...(request.echo && typeof request.logprobs === 'number' && { promptLogprobs: true as const }),
  };
}
