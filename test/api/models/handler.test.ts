import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { toModel } from '../../../src/api/models/model-object.ts';
import type { LoadedModel } from '../../../src/contract/residency.ts';
import { createContext, createFakeRunner, engineInfo, get, loadedModel, modelCard, readJson } from '../fixtures.ts';

describe('model object', () => {
  it('has a time in RFC 3339 even where the model claims one beyond it', () => {
    const { created_at } = toModel(modelCard({ created: Number.MAX_SAFE_INTEGER }), undefined);
    expect(created_at).toBe('9999-12-31T23:59:59.000Z');
  });

  it('has every field of the API contract', () => {
    expect(toModel(modelCard(), undefined)).toEqual({
      id: 'tiny',
      object: 'model',
      type: 'model',
      display_name: 'Tiny',
      created_at: '2023-11-14T22:13:20.000Z',
      created: 1_700_000_000,
      owned_by: 'someone',
      name: 'Tiny',
      version: '1.0',
      format: 'gguf',
      engine: 'llama.cpp',
      description: 'A model for tests',
      sources: [{ filename: 'tiny.gguf', url: 'https://models.example/tiny.gguf' }],
      settings: { embedding: false, ctx_len: 4096 },
      parameters: {},
      metadata: { author: 'someone', tags: ['test'], size: 1234, cover: '' },
      context_length: 4096,
      meta: { n_ctx: 4096, n_ctx_train: 4096, n_params: 1000, size: 1234 },
      capabilities: { vision: false, audio: false, tools: false, reasoning: false, embedding: false, rerank: false },
      loaded: false,
      backend: null,
    });
  });

  it('has the context window of its configuration before it is loaded', () => {
    const model = toModel(modelCard({ settings: { embedding: false, ctx_len: 2048 } }), undefined);
    expect(model).toMatchObject({ context_length: 2048, settings: { ctx_len: 2048 }, meta: { n_ctx: 2048 } });
  });

  it('has the true figures of the engine once it is loaded', () => {
    const model = toModel(modelCard({ settings: { embedding: false, ctx_len: 2048 } }), loadedModel());
    expect(model).toMatchObject({
      loaded: true,
      backend: 'cpu',
      context_length: 512,
      meta: { n_ctx: 512, n_ctx_train: 4096 },
      settings: { ctx_len: 512, ngl: 0, cpu_threads: 2, n_parallel: 4 },
    });
  });

  it.each([
    ['gpu', 'node-llama-cpp'],
    ['cpu', 'node-llama-cpp'],
    ['wasm', 'wllama'],
    // This is WebGPU.
    ['gpu', 'wllama'],
  ] as const)('names the engine of the backend %s: %s', (backend, runtime) => {
    const loaded = loadedModel({ engine: { ...engineInfo, backend, runtime } });
    expect(toModel(modelCard(), loaded)).toMatchObject({ backend, engine: runtime });
  });

  it('distinguishes models that see, make vectors or rank from those that only chat', () => {
    const vision = toModel(
      modelCard({ settings: { embedding: false, vision_model: true, mmproj: 'm.gguf' } }),
      undefined,
    );
    const embedding = toModel(modelCard({ settings: { embedding: true } }), undefined);
    expect(vision).toMatchObject({ capabilities: { vision: true, embedding: false }, settings: { mmproj: 'm.gguf' } });
    expect(vision).toMatchObject({ engine: 'llama.cpp', backend: null });
    expect(embedding.capabilities).toMatchObject({ vision: false, embedding: true });
    const settings = { embedding: false, prompt_template: '{% for tool in tools %}<tool_call>{% endfor %}' };
    const ranking = toModel(modelCard({ settings, rankingModel: true }), undefined);
    expect(ranking.capabilities).toMatchObject({ embedding: false, rerank: true, tools: false });
  });
});

describe('models', () => {
  const ids = ['tiny', 'org/name', 'org/name:Q8 0', 'a%b', 'ünï'];
  const runner = createFakeRunner(undefined, [loadedModel({ id: 'org/name' })]);
  const { context } = createContext({ cards: ids.map((id) => modelCard({ id })), runner });
  const api = createApi(context);

  it('are listed without sources', async () => {
    const reply = await api(get('/v1/models'));
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    const { object, data } = await readJson(reply);
    expect(object).toBe('list');
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids);
    for (const model of data) {
      expect(model).not.toHaveProperty('sources');
      expect(model.object).toBe('model');
    }
  });

  it('are listed with whether they are loaded', async () => {
    const { data } = await readJson(await api(get('/v1/models')));
    expect(data.map(({ loaded }: { loaded: boolean }) => loaded)).toEqual(ids.map((id) => id === 'org/name'));
  });

  it('are listed as they are now, whatever was listed before', async () => {
    const cards = [modelCard()];
    const loaded: LoadedModel[] = [];
    const { context } = createContext({ runner: createFakeRunner(undefined, loaded) });
    const api = createApi({ ...context, catalogue: { list: () => cards, find: () => undefined } });
    const list = async () => (await readJson(await api(get('/v1/models')))).data;
    expect(await list()).toMatchObject([{ name: 'Tiny', loaded: false, backend: null }]);
    loaded.push(loadedModel());
    expect(await list()).toMatchObject([{ loaded: true, backend: 'cpu' }]);
    loaded[0] = loadedModel({ engine: { ...engineInfo, backend: 'wasm' } });
    expect(await list()).toMatchObject([{ loaded: true, backend: 'wasm' }]);
    loaded.pop();
    cards[0] = modelCard({ name: 'Another' });
    expect(await list()).toMatchObject([{ name: 'Another', loaded: false, backend: null }]);
  });

  it('are one page, as the clients of Anthropic have it', async () => {
    expect(await readJson(await api(get('/v1/models')))).toMatchObject({
      has_more: false,
      first_id: ids.at(0),
      last_id: ids.at(-1),
    });
  });

  it('are an empty list when there are none', async () => {
    const empty = createApi(createContext({ cards: [] }).context);
    expect(await readJson(await empty(get('/v1/models')))).toEqual({
      object: 'list',
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
      models: [],
    });
  });

  it.each(ids)('are retrieved one by one with their sources: %s', async (id) => {
    const reply = await api(get(`/v1/models/${encodeURIComponent(id)}`));
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toMatchObject({ id, object: 'model', sources: [{ filename: 'tiny.gguf' }] });
  });

  it('are retrieved by an id with a plain slash, loaded or not', async () => {
    expect(await readJson(await api(get('/v1/models/org/name')))).toMatchObject({ id: 'org/name', loaded: true });
    expect(await readJson(await api(get('/v1/models/tiny')))).toMatchObject({ id: 'tiny', loaded: false });
  });

  it.each(['nope', 'org/nope', 'TINY'])('are answered with 404 and the id when there is none: %s', async (id) => {
    const reply = await api(get(`/v1/models/${id}`));
    expect(reply.status).toBe(404);
    const { error } = await readJson(reply);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'model_not_found' });
    expect(error.message).toContain(id);
  });

  it('are answered with 400 if the id is not a valid URL encoding', async () => {
    expect((await api(get('/v1/models/%E0%A4%A'))).status).toBe(400);
  });
});

describe('DELETE /v1/models/{id}', () => {
  const remove = { ...get('/v1/models/tiny'), method: 'DELETE' };

  it("removes the model and answers in OpenAI's form", async () => {
    const removed: string[] = [];
    const remover = { remove: async (id: string) => void removed.push(id) };
    const reply = await createApi({ ...createContext().context, remover })(remove);
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toEqual({ id: 'tiny', object: 'model', deleted: true });
    expect(removed).toEqual(['tiny']);
  });

  it('answers 501 if models can not be removed', async () => {
    const reply = await createApi(createContext().context)(remove);
    expect(reply.status).toBe(501);
    expect(await readJson(reply)).toMatchObject({ error: { code: 'not_supported_here' } });
  });
});

describe('GET /v1/lora-adapters', () => {
  it('lists the adapters of all models, each with its index in its model, with and without /v1', async () => {
    const lora = [
      { id: 'style', scale: 0.5 },
      { id: 'tone', scale: 0 },
    ];
    const own = modelCard({ id: 'own', settings: { embedding: false, lora } });
    const api = createApi(createContext({ cards: [modelCard(), own] }).context);
    for (const path of ['/lora-adapters', '/v1/lora-adapters']) {
      expect(await readJson(await api(get(path)))).toEqual([
        { id: 0, name: 'style', scale: 0.5, model: 'own' },
        { id: 1, name: 'tone', scale: 0, model: 'own' },
      ]);
    }
  });
});
