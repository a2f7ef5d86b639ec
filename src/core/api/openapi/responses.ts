/** A JSON Schema, as OpenAPI 3.1 has it: https://json-schema.org/draft/2020-12 */
export type ApiSchema = { [keyword: string]: unknown };

const string: ApiSchema = { type: 'string' };
const number: ApiSchema = { type: 'number' };
const integer: ApiSchema = { type: 'integer' };
const boolean: ApiSchema = { type: 'boolean' };

const ref = (name: string): ApiSchema => ({ $ref: `#/components/schemas/${name}` });
const array = (items: ApiSchema): ApiSchema => ({ type: 'array', items });
const nullable = (schema: ApiSchema): ApiSchema => ({ anyOf: [schema, { type: 'null' }] });
const enumeration = (...values: string[]): ApiSchema => ({ type: 'string', enum: values });

/** An object that has all of `properties`, but may lack the optional ones. */
function object(properties: Record<string, ApiSchema>, optional: Record<string, ApiSchema> = {}): ApiSchema {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

const backend = enumeration('gpu', 'cpu', 'wasm');
const finishReason = enumeration('stop', 'length', 'tool_calls', 'content_filter');
const shortUsage = object({ prompt_tokens: integer, total_tokens: integer });
const listOf = (items: ApiSchema) => ({ object: { const: 'list' }, data: array(items) });
const tokenLogprob = { token: string, logprob: number, bytes: array(integer) };

/** What all objects of a completion begin with. */
const head = (object: string) => ({
  id: string,
  object: { const: object },
  created: integer,
  model: string,
  system_fingerprint: string,
});

const toolCall = object({
  id: string,
  type: { const: 'function' },
  function: object({ name: string, arguments: string }),
});

const chatMessage = object(
  { role: { const: 'assistant' }, content: nullable(string) },
  { reasoning_content: string, tool_calls: array(toolCall) },
);

const chatDelta = object(
  {},
  {
    role: { const: 'assistant' },
    content: string,
    reasoning_content: string,
    tool_calls: array(object({ index: integer, function: object({ arguments: string }, { name: string }) })),
  },
);

const textChoice = object({
  index: integer,
  text: string,
  logprobs: nullable(
    object({
      tokens: array(string),
      token_logprobs: array(number),
      top_logprobs: array({ type: 'object', additionalProperties: number }),
      text_offset: array(integer),
    }),
  ),
  finish_reason: nullable(finishReason),
});

/** What the API answers, by the name of the schema. */
export const RESPONSE_SCHEMAS = {
  Error: object({
    error: object({ message: string, type: string, code: nullable(string), param: nullable(string) }),
  }),
  Usage: object({
    prompt_tokens: integer,
    completion_tokens: integer,
    total_tokens: integer,
    prompt_tokens_details: object({ cached_tokens: integer }),
  }),
  Timings: object({
    cache_n: integer,
    prompt_n: integer,
    prompt_ms: number,
    prompt_per_second: number,
    predicted_n: integer,
    predicted_ms: number,
    predicted_per_second: number,
  }),
  PromptProgress: object({ cache: integer, processed: integer, total: integer, time_ms: number }),
  ChatLogprobs: object({ content: array(object({ ...tokenLogprob, top_logprobs: array(object(tokenLogprob)) })) }),
  ChatCompletion: object({
    ...head('chat.completion'),
    choices: array(
      object({
        index: integer,
        message: chatMessage,
        logprobs: nullable(ref('ChatLogprobs')),
        finish_reason: finishReason,
      }),
    ),
    usage: ref('Usage'),
    timings: ref('Timings'),
  }),
  ChatCompletionChunk: object(
    {
      ...head('chat.completion.chunk'),
      choices: array(
        object({
          index: integer,
          delta: chatDelta,
          logprobs: nullable(ref('ChatLogprobs')),
          finish_reason: nullable(finishReason),
        }),
      ),
    },
    { prompt_progress: ref('PromptProgress'), usage: ref('Usage'), timings: ref('Timings') },
  ),
  Completion: object(
    { ...head('text_completion'), choices: array(textChoice) },
    { prompt_progress: ref('PromptProgress'), usage: ref('Usage'), timings: ref('Timings') },
  ),
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
  TokenList: object({ tokens: { anyOf: [array(integer), array(object({ id: integer, piece: string }))] } }),
  Text: object({ content: string }),
  Model: object(
    {
      id: string,
      object: { const: 'model' },
      created: integer,
      owned_by: string,
      name: string,
      version: string,
      format: string,
      engine: string,
      description: string,
      settings: { type: 'object' },
      parameters: { type: 'object' },
      metadata: object({ author: string, tags: array(string), size: integer, cover: string }),
      context_length: integer,
      meta: object({ n_ctx: integer, n_ctx_train: integer, n_params: integer, size: integer }),
      capabilities: { type: 'object', additionalProperties: boolean },
      loaded: boolean,
      backend: nullable(backend),
    },
    { sources: array(object({ filename: string, url: string })) },
  ),
  ModelDeleted: object({ id: string, object: { const: 'model' }, deleted: { const: true } }),
  PullEvent: {
    anyOf: [
      object({ status: { const: 'resolving' } }),
      object({
        status: { const: 'downloading' },
        file: string,
        completed: integer,
        total: integer,
        bytes_per_second: integer,
        seconds_left: nullable(integer),
      }),
      object({ status: { const: 'waiting' }, reason: string }),
      object({ status: { const: 'verifying' }, file: string }),
      object({ status: { const: 'done' }, already_here: boolean, model: ref('Model') }),
    ],
  },
  ModelList: object(listOf(ref('Model'))),
  Health: object({
    status: { const: 'ok' },
    models: array(
      object({
        id: string,
        backend,
        device: string,
        fallback_reasons: array(string),
        context_length: integer,
        slots: integer,
        memory: integer,
        busy: integer,
        waiting: integer,
      }),
    ),
    moving: array(object({ id: string, state: enumeration('queued', 'loading', 'unloading'), waiting: integer })),
  }),
  OpenApi: object({ openapi: string, info: { type: 'object' }, paths: { type: 'object' } }),
} satisfies Record<string, ApiSchema>;

export type ResponseName = keyof typeof RESPONSE_SCHEMAS;
