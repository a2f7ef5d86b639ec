import * as v from 'valibot';
import type { ApiContext } from '../context.ts';
import { booleanField, integer, nonEmptyText, text } from '../fields/fields.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';

const document = v.union(
  [v.string(), v.looseObject({ text }, 'must be an object with text')],
  'must be a string or an object with text',
);

/** The body of POST /v1/rerank, as Jina's and Cohere's. */
export const rerankRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    query: nonEmptyText,
    documents: v.pipe(
      v.array(document, 'must be an array of documents'),
      v.nonEmpty('must have at least 1 document'),
      v.maxLength(2048, 'must have at most 2048 documents'),
    ),
    top_n: v.nullish(integer(1)),
    return_documents: v.nullish(booleanField),
  },
  'must be a JSON object',
);

/** POST /v1/rerank: how relevant each document is to the query, the most relevant first. */
export async function rerank(context: ApiContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = readModelRequest(context, request, rerankRequestSchema);
  const { query, top_n, return_documents } = body;
  const documents = body.documents.map((given) => (typeof given === 'string' ? given : given.text));
  const { scores, tokens } = await context.runner.ask(model.id, 'rerank', { query, documents }, request.signal);
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
