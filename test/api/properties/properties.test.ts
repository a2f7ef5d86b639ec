import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import {
  createContext,
  createFakeRunner,
  engineInfo,
  get,
  hello,
  loadedModel,
  modelCard,
  post,
  readJson,
} from '../fixtures.ts';

function apiOver({ busy = 1, keys = [] as string[] } = {}) {
  const loaded = [loadedModel({ engine: { ...engineInfo, slots: 2, contextLength: 512 }, busy })];
  const runner = createFakeRunner(undefined, loaded, { renderPrompt: () => ({ prompt: 'user: Hello' }) });
  const cards = [
    modelCard({ id: 'cold', settings: { embedding: false, n_parallel: 3, ctx_len: 256 } }),
    modelCard({ settings: { embedding: false, prompt_template: '{{ x }}', temperature: 0.3 } }),
  ];
  return createApi(createContext({ runner, cards, apiKeys: plainKeys(keys) }).context);
}

describe('props', () => {
  it('are those of the loaded model, without the path of its file', async () => {
    const reply = await apiOver()(get('/props'));
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toMatchObject({
      default_generation_settings: { n_ctx: 512, params: { temperature: 0.3, top_k: 40 } },
      total_slots: 2,
      model_alias: 'tiny',
      model_path: 'tiny',
      modalities: { vision: false, audio: false },
      chat_template: '{{ x }}',
      is_sleeping: false,
    });
  });

  it('are those of the model in the query', async () => {
    const api = apiOver();
    const props = await readJson(await api({ ...get('/props'), query: 'model=cold' }));
    expect(props).toMatchObject({ model_alias: 'cold', total_slots: 3, is_sleeping: true });
    expect((await api({ ...get('/props'), query: 'model=nope' })).status).toBe(404);
  });

  it.each(['/props', '/slots'])('need a key where keys are configured: %s', async (path) => {
    const api = apiOver({ keys: ['secret'] });
    expect((await api(get(path))).status).toBe(401);
    expect((await api(get(path, { authorization: 'Bearer secret' }))).status).toBe(200);
  });
});

describe('slots', () => {
  it('are told with nothing but what they do', async () => {
    expect(await readJson(await apiOver()(get('/slots')))).toEqual([
      { id: 0, n_ctx: 512, speculative: false, is_processing: true },
      { id: 1, n_ctx: 512, speculative: false, is_processing: false },
    ]);
  });

  it('are a 503 where none is free, if the client asks for that', async () => {
    const api = apiOver({ busy: 2 });
    expect((await api(get('/slots'))).status).toBe(200);
    expect((await api({ ...get('/slots'), query: 'fail_on_no_slot=1' })).status).toBe(503);
  });
});

describe('the template', () => {
  it('is applied to a chat request, of which nothing is generated', async () => {
    expect(await readJson(await apiOver()(post('/apply-template', hello)))).toEqual({ prompt: 'user: Hello' });
  });

  it('is the one of the usual model if the request names none, as the clients of llama-server do', async () => {
    const { model: _, ...unnamed } = hello;
    expect(await readJson(await apiOver()(post('/apply-template', unnamed)))).toEqual({ prompt: 'user: Hello' });
    expect((await apiOver()(post('/apply-template', { ...hello, model: 'none' }))).status).toBe(404);
  });
});
