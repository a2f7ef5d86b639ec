import { defineFamily } from '../family.ts';
import { array, integer, listOf, number, object, shortUsage, string } from '../openapi/json-schema.ts';
import { createEmbeddings, rerank } from './handler.ts';
import { embeddingRequestSchema, rerankRequestSchema } from './schema.ts';

/** Endpoints that turn texts into vectors or scores. */
export const vectors = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/embeddings',
      handler: createEmbeddings,
      id: 'createEmbeddings',
      summary: 'A vector of length 1 for each text.',
      body: { name: 'EmbeddingRequest', schema: embeddingRequestSchema },
      response: 'EmbeddingList',
    },
    {
      method: 'POST',
      path: '/v1/rerank',
      handler: rerank,
      id: 'rerank',
      summary: 'How relevant documents are to a query, the most relevant first.',
      body: { name: 'RerankRequest', schema: rerankRequestSchema },
      response: 'RerankList',
    },
  ],
  schemas: {
    EmbeddingList: object({
      ...listOf(
        object({
          object: { const: 'embedding' },
          index: integer,
          embedding: { anyOf: [array(number), { type: 'string', contentEncoding: 'base64' }] },
        }),
      ),
      model: string,
      usage: shortUsage,
    }),
    RerankList: object({
      model: string,
      object: { const: 'list' },
      results: array(object({ index: integer, relevance_score: number }, { document: object({ text: string }) })),
      usage: shortUsage,
    }),
  },
});
