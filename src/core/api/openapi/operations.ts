import type * as v from 'valibot';
import { chatRequestSchema } from '../chat/schema.ts';
import { completionRequestSchema } from '../completions/schema.ts';
import { pullRequestSchema } from '../models/pull.ts';
import { detokenizeRequestSchema, tokenizeRequestSchema } from '../tokens/handler.ts';
import { embeddingRequestSchema } from '../vectors/embeddings.ts';
import { rerankRequestSchema } from '../vectors/rerank.ts';
import type { ResponseName } from './responses.ts';

/** The schemas of request bodies, by their names. */
export const REQUEST_SCHEMAS = {
  ChatCompletionRequest: chatRequestSchema,
  CompletionRequest: completionRequestSchema,
  EmbeddingRequest: embeddingRequestSchema,
  RerankRequest: rerankRequestSchema,
  TokenizeRequest: tokenizeRequestSchema,
  DetokenizeRequest: detokenizeRequestSchema,
  PullRequest: pullRequestSchema,
} satisfies Record<string, v.GenericSchema>;

/** One method of one path, as the OpenAPI document tells it. */
export interface Operation {
  method: 'get' | 'post' | 'delete';
  /** With parameters in braces. */
  path: string;
  id: string;
  summary: string;
  /** Served without a key. */
  open?: true;
  request?: keyof typeof REQUEST_SCHEMAS;
  response: ResponseName;
  /** Of the events, where the reply may be a stream. */
  chunk?: ResponseName;
}

/** Every path of `ROUTES` in `api.ts`. */
export const OPERATIONS: Operation[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    id: 'createChatCompletion',
    summary: 'The reply of a model to a conversation, whole or as a stream of events.',
    request: 'ChatCompletionRequest',
    response: 'ChatCompletion',
    chunk: 'ChatCompletionChunk',
  },
  {
    method: 'post',
    path: '/v1/completions',
    id: 'createCompletion',
    summary: 'The continuation of a text, or what fills the gap before a suffix, whole or as a stream of events.',
    request: 'CompletionRequest',
    response: 'Completion',
    chunk: 'Completion',
  },
  {
    method: 'post',
    path: '/v1/embeddings',
    id: 'createEmbeddings',
    summary: 'A vector of length 1 for each text.',
    request: 'EmbeddingRequest',
    response: 'EmbeddingList',
  },
  {
    method: 'post',
    path: '/v1/rerank',
    id: 'rerank',
    summary: 'How relevant documents are to a query, the most relevant first.',
    request: 'RerankRequest',
    response: 'RerankList',
  },
  {
    method: 'post',
    path: '/v1/tokenize',
    id: 'tokenize',
    summary: "The tokens of a text in a model's vocabulary.",
    request: 'TokenizeRequest',
    response: 'TokenList',
  },
  {
    method: 'post',
    path: '/v1/detokenize',
    id: 'detokenize',
    summary: 'The text that tokens stand for.',
    request: 'DetokenizeRequest',
    response: 'Text',
  },
  {
    method: 'get',
    path: '/v1/models',
    id: 'listModels',
    summary: 'The models on offer.',
    response: 'ModelList',
  },
  {
    method: 'post',
    path: '/v1/models/pull',
    id: 'pullModel',
    summary:
      'Fetches a model from a hub or a URL: its progress as a stream of events or, with stream false, the model.',
    request: 'PullRequest',
    response: 'Model',
    chunk: 'PullEvent',
  },
  {
    method: 'get',
    path: '/v1/models/{model_id}',
    id: 'retrieveModel',
    summary: 'One model, with its download sources.',
    response: 'Model',
  },
  {
    method: 'delete',
    path: '/v1/models/{model_id}',
    id: 'deleteModel',
    summary: 'Removes a model and its files.',
    response: 'ModelDeleted',
  },
  {
    method: 'get',
    path: '/health',
    id: 'health',
    summary: 'Whether the server lives, and what its loaded models run on.',
    open: true,
    response: 'Health',
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'describeApi',
    summary: 'This document.',
    open: true,
    response: 'OpenApi',
  },
];
