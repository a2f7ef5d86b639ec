import { NotFoundError } from 'openai';
import { expect } from 'vitest';
import { eventually } from '../../kit/eventually.ts';
import type { ContractCase } from '../suite.ts';
import { chatBody, getJson, openai, postChat, postJson, type Target, untilIdle } from '../target.ts';

/** Waits until a model is not in memory any more. */
async function untilUnloaded(target: Target, id: string): Promise<void> {
  await eventually(async () => expect((await getJson(target, `/v1/models/${id}`)).body.loaded).not.toBe(true));
}

export const modelCases: ContractCase[] = [
  {
    name: 'lists the models of the folder, through the openai client',
    check: async (target) => {
      const ids: string[] = [];
      for await (const model of openai(target).models.list()) ids.push(model.id);
      // The models that come with Paddock are at the end of the list.
      expect(ids.slice(0, 6)).toEqual([
        'embed/mini',
        'rerank/mini',
        'shelf/brief',
        'tiny',
        'tiny/audio/ear',
        'tiny/vision/eye',
      ]);
    },
  },
  {
    name: 'retrieves a model with every field of the Model object',
    check: async (target) => {
      const { status, body } = await getJson(target, '/v1/models/tiny');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: 'tiny',
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
        name: 'Tiny test model',
        version: expect.any(String),
        format: 'gguf',
        engine: expect.any(String),
        description: expect.any(String),
        sources: [{ filename: 'tiny.gguf', url: expect.any(String) }],
        settings: {
          ctx_len: expect.any(Number),
          embedding: false,
          prompt_template: expect.stringContaining('im_start'),
        },
        parameters: {},
        metadata: { author: '', tags: expect.arrayContaining(['qwen2']), size: expect.any(Number), cover: '' },
        context_length: 1024,
        meta: { n_ctx: 1024, n_ctx_train: 1024, n_params: expect.any(Number), size: expect.any(Number) },
        capabilities: { vision: false, audio: false, embedding: false },
      });
    },
  },
  {
    name: 'leaves the sources out of the list',
    check: async (target) => {
      const { body } = await getJson(target, '/v1/models');
      expect(body.object).toBe('list');
      for (const model of body.data) expect(model).not.toHaveProperty('sources');
    },
  },
  {
    name: 'loads a model that nobody has asked yet, and answers when it is loaded',
    check: async (target) => {
      const { status, body } = await postJson(target, '/v1/models/load', { model: 'shelf/brief' });
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: 'shelf/brief', object: 'model', loaded: true });
      const unknown = await postJson(target, '/v1/models/load', { model: 'no-such' });
      expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
      const wrong = await postJson(target, '/v1/models/load', { model: 'tiny', keep_alive: 'long' });
      expect(wrong).toMatchObject({ status: 400, body: { error: { param: 'keep_alive' } } });
      await untilIdle(target);
    },
  },
  {
    name: 'unloads a model that nobody uses, and loads it again for the next request',
    check: async (target) => {
      const unload = () => postJson(target, '/v1/models/unload', { model: 'shelf/brief' });
      await postJson(target, '/v1/models/load', { model: 'shelf/brief' });
      expect(await unload()).toMatchObject({
        status: 200,
        body: { id: 'shelf/brief', object: 'model', unloaded: true },
      });
      await untilUnloaded(target, 'shelf/brief');
      expect(await unload()).toMatchObject({ status: 200, body: { unloaded: false } });
      expect((await postJson(target, '/v1/tokenize', { model: 'shelf/brief', content: 'hi' })).status).toBe(200);
      expect(await unload()).toMatchObject({ status: 200, body: { unloaded: true } });
      await untilUnloaded(target, 'shelf/brief');
    },
  },
  {
    name: 'unloads a model after a request with keep_alive 0, whoever asks how',
    byApiAlone: true,
    check: async (target) => {
      const messages = [{ role: 'user', content: 'hello' }];
      const asked: [path: string, body: object][] = [
        ['/v1/chat/completions', { messages, max_tokens: 1, keep_alive: 0 }],
        ['/v1/messages', { messages, max_tokens: 1, keep_alive: '0s' }],
        ['/api/chat', { messages, keep_alive: 0, options: { num_predict: 1 }, stream: false }],
        ['/api/generate', { keep_alive: 0 }],
      ];
      for (const [path, body] of asked) {
        await postJson(target, '/v1/models/load', { model: 'shelf/brief' });
        expect((await postJson(target, path, { model: 'shelf/brief', ...body })).status, path).toBe(200);
        await untilUnloaded(target, 'shelf/brief');
      }
    },
  },
  {
    name: 'tells what the clients of llama-server ask of a model, with a key alone and without its path',
    check: async (target) => {
      await postChat(target, chatBody({ max_tokens: 1 }));
      const { status, body } = await getJson(target, '/props?model=tiny');
      expect(status).toBe(200);
      const { context_length } = (await getJson(target, '/v1/models/tiny')).body;
      expect(body).toMatchObject({
        model_alias: 'tiny',
        model_path: 'tiny',
        modalities: { vision: false, audio: false },
      });
      expect(body.default_generation_settings.n_ctx).toBe(context_length);
      expect(body.total_slots).toBeGreaterThan(0);
      expect(body.chat_template).toContain('message');
      for (const path of ['/props', '/slots']) {
        expect((await getJson(target, path, { authorization: 'Bearer wrong' })).status, path).toBe(401);
      }
    },
  },
  {
    name: 'tells which slots are in use, and nothing of what they do',
    check: async (target) => {
      await postChat(target, chatBody({ max_tokens: 1 }));
      const { status, body } = await getJson(target, '/slots?model=tiny');
      expect(status).toBe(200);
      expect(body.length).toBeGreaterThan(0);
      for (const slot of body) expect(Object.keys(slot)).toEqual(['id', 'n_ctx', 'speculative', 'is_processing']);
    },
  },
  {
    name: 'renders the prompt of a chat request as text',
    check: async (target) => {
      const { status, body } = await postJson(target, '/apply-template', chatBody());
      expect(status).toBe(200);
      expect(body.prompt).toMatch(/user\nhello.*assistant\n$/s);
    },
  },
  {
    name: 'takes how long a model is to stay in memory, and refuses what is no duration',
    byApiAlone: true,
    check: async (target) => {
      const messages = [{ role: 'user', content: 'hello' }];
      const asked: [path: string, body: object][] = [
        ['/v1/chat/completions', { model: 'tiny', messages, max_tokens: 1 }],
        ['/v1/completions', { model: 'tiny', prompt: 'hello', max_tokens: 1 }],
        ['/v1/responses', { model: 'tiny', input: 'hello', max_output_tokens: 1 }],
        ['/v1/messages', { model: 'tiny', messages, max_tokens: 1 }],
        ['/v1/systemone', { model: 'tiny', state: 'hello', questions: { q: { type: 'noul', instructions: '?' } } }],
        ['/v1/decisions', { model: 'tiny', input: 'hello', questions: [{ type: 'predicate', instructions: '?' }] }],
        ['/v1/embeddings', { model: 'embed/mini', input: 'hello' }],
        ['/v1/rerank', { model: 'rerank/mini', query: 'hello', documents: ['hello'] }],
      ];
      for (const [path, body] of asked) {
        const wrong = await postJson(target, path, { ...body, keep_alive: '5 minutes' });
        expect(wrong.status, path).toBe(400);
        expect(JSON.stringify(wrong.body), path).toContain('keep_alive must be a duration such as 5m');
        expect((await postJson(target, path, { ...body, keep_alive: '1h30m' })).status, path).toBe(200);
      }
      for (const keep_alive of [-1, 300, '-1m', '0.5h', '250ms', '90'])
        expect((await postChat(target, chatBody({ max_tokens: 1, keep_alive }))).status).toBe(200);
      expect((await postChat(target, chatBody({ max_tokens: 1, keep_alive: '1h' }))).status).toBe(200);
    },
  },
  {
    name: 'takes an id with a slash plain and encoded',
    check: async (target) => {
      for (const path of ['/v1/models/shelf/brief', '/v1/models/shelf%2Fbrief']) {
        expect((await getJson(target, path)).body.id).toBe('shelf/brief');
      }
      expect((await openai(target).models.retrieve('shelf/brief')).id).toBe('shelf/brief');
    },
  },
  {
    name: 'answers 404 model_not_found for an unknown id, and names it',
    check: async (target) => {
      const error = await openai(target)
        .models.retrieve('no-such')
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({
        status: 404,
        code: 'model_not_found',
        type: 'invalid_request_error',
        message: expect.stringContaining('no-such'),
      });
    },
  },
  {
    name: 'removes no unknown model and not the one that comes with Paddock, and says why',
    check: async (target) => {
      const { models } = openai(target);
      await expect(models.delete('no-such')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
      await expect(models.delete('pico')).rejects.toMatchObject({
        status: 400,
        code: 'built_in_model',
        message: expect.stringContaining("'pico' comes with Paddock"),
      });
      expect((await models.retrieve('pico')).id).toBe('pico');
    },
  },
  {
    name: 'tells in /health and in the Model object what a loaded model runs on',
    check: async (target) => {
      await openai(target).chat.completions.create({
        model: 'tiny',
        messages: [{ role: 'user', content: 'hi' }],
        max_tokens: 1,
      });
      const health = await getJson(target, '/health');
      const loaded = health.body.models.find(({ id }: { id: string }) => id === 'tiny');
      expect(health.body.status).toBe('ok');
      expect(loaded).toMatchObject({ backend: expect.any(String), slots: expect.any(Number), busy: 0, waiting: 0 });
      const model = await getJson(target, '/v1/models/tiny');
      expect(model.body).toMatchObject({ loaded: true, backend: loaded.backend });
    },
  },
  {
    name: 'refuses a pull that names no source of a model, and says which field is wrong',
    byApiAlone: true,
    check: async (target) => {
      const wrong: [object, string][] = [
        [{}, 'model is required.'],
        [{ model: '' }, 'model must not be empty.'],
        [{ model: 'hf:org/repo', stream: 'yes' }, 'stream must be a boolean.'],
      ];
      for (const [body, message] of wrong) {
        const reply = await postJson(target, '/v1/models/pull', body);
        expect(reply.status).toBe(400);
        expect(reply.body.error).toMatchObject({ type: 'invalid_request_error', message });
      }
    },
  },
];
