import { notSupportedHere } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { Residency } from '../../contract/residency.ts';
import { callOf, type RequestContext } from '../context.ts';
import type { ApiRequest } from '../http/http.ts';
import { toSettings } from './request.ts';

/**
 * Loads a model. On a platform without `residency`, it requests one token and waits for the first event. Throws the
 * `ApiError` that a request to the model would get.
 */
export async function ensureLoaded(
  context: RequestContext,
  request: Pick<ApiRequest, 'signal'>,
  model: ModelCard,
): Promise<void> {
  const { runner } = context;
  if (runner.residency) {
    await runner.residency.load(model.id, request.signal);
    return;
  }
  const settings = toSettings({ sampling: {}, maxTokens: 1, logprobs: null }, model, []);
  const generation = {
    ...settings,
    prompt: { kind: 'text' as const, text: ' ' },
    replyFormat: { kind: 'text' as const },
  };
  for await (const _ of runner.generate(model.id, generation, callOf(context, request))) return;
}

/** Returns the part of the runner that unloads models. Throws a 501 `ApiError` if the platform has none. */
export function checkUnloads({ runner }: RequestContext): Residency {
  if (runner.residency) return runner.residency;
  throw notSupportedHere(
    'A model can not be unloaded by a request here: it makes room when another one needs its memory.',
  );
}
