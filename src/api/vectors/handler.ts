import { callOf, type RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { toTextInputs } from '../fields/text-input.ts';
import { type ApiReply, type ApiRequest, jsonReply, jsonTextReply } from '../http/http.ts';
import { jsonInTurns } from '../http/json-in-turns.ts';
import { reserveInputs } from '../keys/reserve.ts';
import { toBase64 } from './base64.ts';
import { embedInputs } from './embed.ts';
import { refuseMedia } from './refuse-media.ts';
import { embeddingRequestSchema, rerankRequestSchema } from './schema.ts';
import { toFloat32 } from './vector.ts';

/** POST /v1/embeddings: a vector of length 1 for each input. */
export async function createEmbeddings(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, embeddingRequestSchema, [], refuseMedia);
  const inputs = toTextInputs(body.input);
  const { vectors, tokens } = await embedInputs(context, request, model, inputs, body.dimensions);
  const data = vectors.map((embedding, index) => ({
    object: 'embedding',
    index,
    embedding: body.encoding_format === 'base64' ? toBase64(toFloat32(embedding)) : embedding,
  }));
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return jsonTextReply(await jsonInTurns({ object: 'list', data, model: model.id, usage }));
}

/** POST /v1/rerank: the relevance of each document to the query, the most relevant first. */
export async function rerank(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, rerankRequestSchema);
  const { query, top_n, return_documents } = body;
  const documents = body.documents.map((given) => (typeof given === 'string' ? given : given.text));
  // The model reads the query with each document.
  reserveInputs(context.record, [...documents, ...documents.map(() => query)]);
  const { scores, tokens } = await context.runner.ask(
    model.id,
    'rerank',
    { query, documents },
    callOf(context, request),
  );
  context.record.promptTokens += tokens;
  const results = scores
    .map((relevance_score, index) => ({
      index,
      relevance_score,
      ...(return_documents && { document: { text: documents[index] } }),
    }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, top_n ?? undefined);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return jsonReply({ model: model.id, object: 'list', results, usage });
}
