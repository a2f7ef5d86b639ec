// @module-tag slow
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createApi, FAMILIES } from '../../../src/api/api.ts';
import { openApiDocument } from '../../../src/api/openapi/document.ts';
import { SHARED_SCHEMAS } from '../../../src/api/openapi/shared.ts';
import { completion } from '../completions/fixtures.ts';
import {
  chat,
  createContext,
  createFakeRunner,
  dataLines,
  get,
  hello,
  loadedModel,
  modelCard,
  post,
  readBody,
  readJson,
} from '../fixtures.ts';
import { eventsOf, message, messageBody } from '../messages/fixtures.ts';
import { readEvents, respond } from '../responses/fixtures.ts';

const document = openApiDocument(FAMILIES, true);
const ajv = new Ajv2020({ strict: false });
ajv.addSchema({ $id: 'document', components: document.components });

/** Compiles a check from one of the document's schemas. */
function schemaCheck(name: string): ValidateFunction {
  return ajv.compile({ $ref: `document#/components/schemas/${name}` });
}

describe('what the API answers', () => {
  const runner = createFakeRunner(
    undefined,
    [loadedModel()],
    {
      embed: () => ({ vectors: [[1, 0]], tokens: 1 }),
      rerank: () => ({ scores: [0.5], tokens: 1 }),
      countPrompt: () => ({ tokens: 1 }),
      tokenize: () => ({ tokens: [1], pieces: ['x'] }),
      detokenize: () => ({ text: 'x' }),
      renderPrompt: () => ({ prompt: 'x' }),
      weighReplies: () => ({ probabilities: [0.5, 0.5], tokens: 9, cached: 4 }),
    },
    [{ id: 'big', state: 'loading', waiting: 1 }],
  );
  const cards = [modelCard(), modelCard({ id: 'embedder', settings: { embedding: true } })];
  const api = createApi(createContext({ runner, cards }).context);

  it.each([
    ['Health', get('/health')],
    ['Props', get('/props')],
    ['Slots', get('/slots')],
    ['RenderedPrompt', post('/apply-template', hello)],
    ['OpenApi', get('/openapi.json')],
    ['ModelList', get('/v1/models')],
    ['Model', get('/v1/models/tiny')],
    ['ChatCompletion', chat()],
    ['Response', respond()],
    ['InputTokens', post('/v1/responses/input_tokens', { model: 'tiny', input: 'x' })],
    ['Completion', completion({ logprobs: 1 })],
    ['Completion', completion()],
    ['Message', message()],
    ['MessageTokens', post('/v1/messages/count_tokens', messageBody())],
    ['AnthropicError', message({ model: 5 })],
    ['EmbeddingList', post('/v1/embeddings', { model: 'embedder', input: 'x' })],
    ['EmbeddingList', post('/v1/embeddings', { model: 'embedder', input: 'x', encoding_format: 'base64' })],
    ['RerankList', post('/v1/rerank', { model: 'tiny', query: 'x', documents: ['x'], return_documents: true })],
    ['Infill', post('/infill', { input_prefix: 'x', input_suffix: '' })],
    ['FimCompletion', post('/v1/fim/completions', { model: 'tiny', prompt: 'x' })],
    [
      'SystemOneAnswers',
      post('/v1/systemone', {
        model: 'tiny',
        state: 'x',
        questions: {
          urgent: { type: 'noul', instructions: 'x' },
          team: { type: 'choice', criteria: { a: null, b: 'c' } },
          anger: { type: 'score', criteria: ['a', null] },
        },
      }),
    ],
    [
      'Decisions',
      post('/v1/decisions', {
        model: 'tiny',
        input: 'x',
        questions: [
          { type: 'predicate', instructions: 'x' },
          { type: 'choice', name: 'team', instructions: 'x', choices: [{ value: 'a' }, { value: true }] },
          { type: 'score', instructions: 'x', levels: [{ label: 'a' }, { label: 'b' }] },
        ],
      }),
    ],
    ['TokenList', post('/v1/tokenize', { model: 'tiny', content: 'x' })],
    ['TokenList', post('/v1/tokenize', { model: 'tiny', content: 'x', with_pieces: true })],
    ['Text', post('/v1/detokenize', { model: 'tiny', tokens: [1] })],
    ['OllamaVersion', get('/api/version')],
    ['OllamaModels', get('/api/tags')],
    ['OllamaRunning', get('/api/ps')],
    ['OllamaModel', post('/api/show', { model: 'tiny' })],
    ['OllamaChat', post('/api/chat', { ...hello, stream: false })],
    ['OllamaGeneration', post('/api/generate', { model: 'tiny', prompt: 'x', stream: false })],
    ['OllamaVectors', post('/api/embed', { model: 'embedder', input: 'x' })],
    ['OllamaVector', post('/api/embeddings', { model: 'embedder', prompt: 'x' })],
    ['OllamaError', post('/api/show', { model: 'nope' })],
    ['Error', get('/v1/models/nope')],
    ['Error', post('/v1/chat/completions', { ...hello, model: 5 })],
  ])('is as described: %s', async (name, request) => {
    const check = schemaCheck(name);
    check(await readJson(await api(request)));
    expect(check.errors ?? []).toEqual([]);
  });

  it.each([
    ['ChatCompletionChunk', chat({ stream: true, stream_options: { include_usage: true }, return_progress: true })],
    ['Completion', completion({ stream: true, stream_options: { include_usage: true }, return_progress: true })],
  ])('is as described in each chunk of a stream: %s', async (name, request) => {
    const check = schemaCheck(name);
    const chunks = dataLines(await readBody(await api(request))).filter((data) => data !== '[DONE]');
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) {
      check(JSON.parse(chunk));
      expect(check.errors ?? []).toEqual([]);
    }
  });

  it('is as described in each event of a response, which can be had again and deleted', async () => {
    const events = readEvents(await readBody(await api(respond({ stream: true }))));
    for (const [name, data] of [
      ...events.map((event) => ['ResponseEvent', event.data]),
      ['Response', await readJson(await api(get(`/v1/responses/${events[0]?.data.response.id}`)))],
      [
        'DeletedResponse',
        await readJson(await api({ ...get(`/v1/responses/${events[0]?.data.response.id}`), method: 'DELETE' })),
      ],
    ]) {
      const check = schemaCheck(name);
      check(data);
      expect(check.errors ?? []).toEqual([]);
    }
  });

  it('is as described in each event of a stream of a message', async () => {
    const check = schemaCheck('MessageEvent');
    const events = eventsOf(await readBody(await api(message({ stream: true }))));
    expect(events.length).toBeGreaterThan(5);
    for (const event of events) {
      check(event);
      expect(check.errors ?? []).toEqual([]);
    }
  });

  it.each([
    ['OllamaChat', post('/api/chat', hello)],
    ['OllamaGeneration', post('/api/generate', { model: 'tiny', prompt: 'x' })],
  ])('is as described in each line of a stream: %s', async (name, request) => {
    const check = schemaCheck(name);
    const lines = (await readBody(await api(request))).trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      check(JSON.parse(line));
      expect(check.errors ?? []).toEqual([]);
    }
  });

  it('has a schema for nothing else', () => {
    const schemas = Object.assign({}, SHARED_SCHEMAS, ...FAMILIES.map((family) => family.schemas));
    const used = JSON.stringify([document.paths, schemas]);
    for (const name of Object.keys(schemas)) expect(used).toContain(`"#/components/schemas/${name}"`);
  });
});
