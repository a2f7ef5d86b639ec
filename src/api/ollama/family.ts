import { defineFamily } from '../family.ts';
import { array, boolean, integer, number, object, string, violations } from '../openapi/json-schema.ts';
import { ollamaErrors } from './errors.ts';
import { ollamaChat, ollamaGenerate } from './handler.ts';
import { ollamaDelete, ollamaPs, ollamaShow, ollamaTags, ollamaVersion, refuseToMake } from './models.ts';
import { ollamaPull } from './pull.ts';
import { chatSchema, embeddingsSchema, embedSchema, generateSchema, modelSchema, pullSchema } from './schema.ts';
import { ollamaEmbed, ollamaEmbedOne } from './vectors.ts';

const details = object({
  parent_model: string,
  format: string,
  family: string,
  families: array(string),
  parameter_size: string,
  quantization_level: string,
});

const listed = {
  name: string,
  model: string,
  modified_at: string,
  size: integer,
  digest: string,
  details,
};

const tokenLogprob = { token: string, logprob: number, bytes: array(integer) };
const logprobs = array(object({ ...tokenLogprob, top_logprobs: array(object(tokenLogprob)) }));

const head = { model: string, created_at: string, done: boolean };
/** The fields of the last line of a stream, and of a whole reply. */
const end = {
  done_reason: string,
  total_duration: integer,
  load_duration: integer,
  prompt_eval_count: integer,
  prompt_eval_duration: integer,
  eval_count: integer,
  eval_duration: integer,
};

const toolCall = object({
  id: string,
  function: object({ index: integer, name: string, arguments: { type: 'object' } }),
});

/**
 * Ollama's API: https://docs.ollama.com/api. Streams are lines of JSON, and on unless the request says `stream: false`.
 */
export const ollama = defineFamily({
  dialect: ollamaErrors,
  errorPaths: ['/api/'],
  routes: [
    {
      method: 'GET',
      path: '/api/version',
      handler: ollamaVersion,
      id: 'ollamaVersion',
      summary: 'The version of Ollama whose API this is.',
      response: 'OllamaVersion',
    },
    {
      method: 'GET',
      path: '/api/tags',
      handler: ollamaTags,
      id: 'ollamaTags',
      summary: "The models on offer, in Ollama's form.",
      response: 'OllamaModels',
    },
    {
      method: 'GET',
      path: '/api/ps',
      handler: ollamaPs,
      reportsState: true,
      id: 'ollamaPs',
      summary: 'The models that are loaded.',
      response: 'OllamaRunning',
    },
    {
      method: 'POST',
      path: '/api/show',
      handler: ollamaShow,
      reportsState: true,
      id: 'ollamaShow',
      summary: 'All that is known of one model.',
      body: { name: 'OllamaModelRequest', schema: modelSchema },
      response: 'OllamaModel',
    },
    {
      method: 'POST',
      path: '/api/chat',
      handler: ollamaChat,
      id: 'ollamaChat',
      summary: 'The reply to a conversation, as lines of JSON or, with stream false, whole.',
      body: { name: 'OllamaChatRequest', schema: chatSchema },
      response: 'OllamaChat',
      event: 'OllamaChat',
      ndjson: true,
    },
    {
      method: 'POST',
      path: '/api/generate',
      handler: ollamaGenerate,
      id: 'ollamaGenerate',
      summary: 'The reply to a prompt or the continuation of a text, as lines of JSON or, with stream false, whole.',
      body: { name: 'OllamaGenerateRequest', schema: generateSchema },
      response: 'OllamaGeneration',
      event: 'OllamaGeneration',
      ndjson: true,
    },
    {
      method: 'POST',
      path: '/api/embed',
      handler: ollamaEmbed,
      id: 'ollamaEmbed',
      summary: 'A vector of length 1 for each text.',
      body: { name: 'OllamaEmbedRequest', schema: embedSchema },
      response: 'OllamaVectors',
    },
    {
      method: 'POST',
      path: '/api/embeddings',
      handler: ollamaEmbedOne,
      id: 'ollamaEmbeddings',
      summary: 'The vector of one text: the older form of /api/embed.',
      body: { name: 'OllamaEmbeddingsRequest', schema: embeddingsSchema },
      response: 'OllamaVector',
    },
    {
      method: 'POST',
      path: '/api/pull',
      handler: ollamaPull,
      manages: true,
      id: 'ollamaPull',
      summary: 'Fetches a model from a hub or a URL, and tells its progress in lines of JSON.',
      body: { name: 'OllamaPullRequest', schema: pullSchema },
      response: 'OllamaStatus',
      event: 'OllamaPullStatus',
      ndjson: true,
    },
    {
      method: 'DELETE',
      path: '/api/delete',
      handler: ollamaDelete,
      manages: true,
      id: 'ollamaDelete',
      summary: 'Removes a model and its files.',
      body: { name: 'OllamaModelRequest', schema: modelSchema },
      response: 'OllamaStatus',
    },
    ...(['copy', 'create', 'push'] as const).map((what) => ({
      method: 'POST' as const,
      path: `/api/${what}`,
      handler: refuseToMake,
      manages: true as const,
      id: `ollama${what.replace(/^./, (letter) => letter.toUpperCase())}`,
      summary: 'Not here: always a 501.',
      response: 'OllamaError' as const,
    })),
  ],
  schemas: {
    OllamaError: object({ error: string }),
    OllamaVersion: object({ version: string }),
    OllamaModels: object({ models: array(object(listed)) }),
    OllamaRunning: object({
      models: array(object({ ...listed, expires_at: string, size_vram: integer, context_length: integer })),
    }),
    OllamaModel: object({
      license: string,
      modelfile: string,
      parameters: string,
      template: string,
      system: string,
      details,
      messages: array({ type: 'object' }),
      model_info: { type: 'object' },
      capabilities: array(string),
      modified_at: string,
    }),
    OllamaChat: object(
      {
        ...head,
        message: object(
          { role: { const: 'assistant' }, content: string },
          { thinking: string, tool_calls: array(toolCall) },
        ),
      },
      { ...end, logprobs, ...violations },
    ),
    OllamaGeneration: object(
      { ...head, response: string },
      { ...end, thinking: string, logprobs, context: array(integer), ...violations },
    ),
    OllamaVectors: object({
      model: string,
      embeddings: array(array(number)),
      total_duration: integer,
      load_duration: integer,
      prompt_eval_count: integer,
    }),
    OllamaVector: object({ embedding: array(number) }),
    OllamaStatus: object({ status: string }),
    OllamaPullStatus: object({ status: string }, { digest: string, total: integer, completed: integer }),
  },
});
