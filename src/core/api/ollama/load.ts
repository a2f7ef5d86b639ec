import { notSupportedHere } from '../../errors.ts';
import type { ModelCard } from '../../model.ts';
import { callOf, type RequestContext } from '../context.ts';
import type { ApiRequest } from '../http/http.ts';
import { toTextGeneration } from './request.ts';

/**
 * Loads a model for a request without a prompt. The runner loads a model when it is asked something, so this asks for one token
 * and ends at the first event. Throws a 501 `ApiError` where `keep_alive` asks to unload it.
 */
export async function loadModel(
  context: RequestContext,
  request: Pick<ApiRequest, 'signal'>,
  model: ModelCard,
  keepAlive: string | number | null | undefined,
): Promise<void> {
  if (asksToUnload(keepAlive))
    throw notSupportedHere(
      'A model can not be unloaded by a request: it makes room when another one needs its memory.',
    );
  const prompt = { kind: 'text' as const, text: ' ' };
  const generation = toTextGeneration({ options: { num_predict: 1 } }, prompt, model, []);
  for await (const _ of context.runner.generate(model.id, generation, callOf(context, request))) return;
}

function asksToUnload(keepAlive: string | number | null | undefined): boolean {
  return keepAlive !== null && keepAlive !== undefined && /^0+(\.0+)?[a-zµ]*$/.test(String(keepAlive).trim());
}
