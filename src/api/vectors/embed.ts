import { invalidRequest } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { Questions } from '../../contract/questions.ts';
import { callOf, type RequestContext } from '../context.ts';
import type { TextInput } from '../fields/text-input.ts';
import type { ApiRequest } from '../http/http.ts';
import { reserveInputs } from '../keys/reserve.ts';
import { shorten } from './vector.ts';

/**
 * Makes a vector of length 1 for each input, of `dimensions` numbers if that is given. Throws a 400 `ApiError` for a
 * model that makes no vectors, for too many dimensions, and for a text that is too long; a 429 if the key has no tokens left.
 */
export async function embedInputs(
  context: RequestContext,
  request: Pick<ApiRequest, 'signal'>,
  model: ModelCard,
  inputs: TextInput[],
  dimensions: number | null | undefined,
): Promise<Questions['embed']['answer']> {
  if (!model.settings.embedding) {
    throw invalidRequest(
      `The model '${model.id}' is not an embedding model and makes no embeddings.`,
      'model',
      'model_not_embedding',
    );
  }
  reserveInputs(context.record, inputs);
  const { vectors, tokens } = await context.runner.ask(model.id, 'embed', { inputs }, callOf(context, request));
  context.record.promptTokens += tokens;
  return { vectors: vectors.map((vector) => shorten(vector, dimensions ?? vector.length, model)), tokens };
}
