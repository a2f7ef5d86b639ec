import { unsupportedParameter } from '../../contract/errors.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import { toSettings } from '../generation/request.ts';
import type { InfillRequest } from './schema.ts';

/** llama-server's default of `n_predict` is no limit. An editor wants a few lines. */
const DEFAULT_TOKENS = 128;

/** The samplers that a request may name, each with the fields that switch it off. */
const SAMPLERS: Record<string, Partial<InfillRequest>> = {
  penalties: { repeat_penalty: 1, presence_penalty: 0, frequency_penalty: 0 },
  top_k: { top_k: 0 },
  typ_p: { typical_p: 1 },
  top_p: { top_p: 1 },
  min_p: { min_p: 0 },
  temperature: { temperature: 1 },
  dry: { dry_multiplier: 0 },
  top_n_sigma: { top_n_sigma: -1 },
  xtc: { xtc_probability: 0 },
  infill: {},
};

/**
 * Returns the generation of a request without its prompt. Samplers that `samplers` does not name are off, as in llama-server. The sampler
 * `infill` takes the most likely token. Throws a 400 `ApiError` for an unknown sampler.
 */
export function toInfillGeneration(
  request: InfillRequest,
  model: ModelCard,
  banned: string[],
): Omit<GenerationRequest, 'prompt'> {
  const limit = request.n_predict ?? request.max_tokens ?? DEFAULT_TOKENS;
  // No tokens means that the prompt is read for the next request. An engine has to draw one.
  const maxTokens = limit === -1 ? null : Math.max(1, limit);
  const sampling = { ...request, ...switchedOff(request.samplers) };
  return {
    ...toSettings({ sampling, maxTokens, logprobs: null }, model, banned),
    choices: 1,
    replyFormat: { kind: 'text' },
  };
}

function switchedOff(samplers: InfillRequest['samplers']): Partial<InfillRequest> {
  // An empty list comes with requests for no tokens; a string has the samplers' letters, in llama-server's own order.
  if (samplers === null || samplers === undefined || samplers.length === 0 || typeof samplers === 'string') return {};
  const unknown = samplers.find((name) => !Object.hasOwn(SAMPLERS, name));
  if (unknown !== undefined)
    throw unsupportedParameter('samplers', `samplers has '${unknown}', which is not supported.`);
  const off = Object.entries(SAMPLERS).flatMap(([name, fields]) => (samplers.includes(name) ? [] : [fields]));
  return Object.assign({}, ...off, samplers.includes('infill') && { temperature: 0 });
}
