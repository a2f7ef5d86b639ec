import * as v from 'valibot';
import { invalidRequest } from '../../errors.ts';
import type { ModelCard } from '../../model.ts';
import type { ApiContext } from '../context.ts';
import { integer, nonEmptyText, oneOf, text } from '../fields/fields.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { textInputs, toTextInputs } from '../fields/text-input.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { toBase64 } from './base64.ts';

/** The body of POST /v1/embeddings. */
export const embeddingRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    input: textInputs(2048),
    encoding_format: v.nullish(oneOf(['float', 'base64'])),
    dimensions: v.nullish(integer(1)),
    user: v.nullish(text),
  },
  'must be a JSON object',
);

/** POST /v1/embeddings: a vector of length 1 for each input. */
export async function createEmbeddings(context: ApiContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = readModelRequest(context, request, embeddingRequestSchema);
  if (!model.settings.embedding) {
    throw invalidRequest(
      `The model '${model.id}' is not an embedding model and makes no embeddings.`,
      'model',
      'model_not_embedding',
    );
  }
  const inputs = toTextInputs(body.input);
  const { vectors, tokens } = await context.runner.ask(model.id, 'embed', { inputs }, request.signal);
  const data = vectors.map((vector, index) => {
    const embedding = shorten(vector, body.dimensions ?? vector.length, model);
    return {
      object: 'embedding',
      index,
      embedding: body.encoding_format === 'base64' ? toBase64(toFloat32(embedding)) : embedding,
    };
  });
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return jsonReply({ object: 'list', data, model: model.id, usage });
}

/** The vector's first dimensions, of length 1 again. Throws a 400 `ApiError` when it has not as many. */
function shorten(vector: number[], dimensions: number, model: ModelCard): number[] {
  if (dimensions === vector.length) return vector;
  if (dimensions > vector.length) {
    throw invalidRequest(
      `dimensions is ${dimensions}, but the embeddings of the model '${model.id}' have ${vector.length} dimensions.`,
      'dimensions',
    );
  }
  const kept = vector.slice(0, dimensions);
  const length = Math.hypot(...kept);
  return length > 0 ? kept.map((value) => value / length) : kept;
}

/** Little-endian, whatever the machine. */
function toFloat32(vector: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * vector.length));
  vector.forEach((value, index) => {
    view.setFloat32(4 * index, value, true);
  });
  return new Uint8Array(view.buffer);
}
