import type { ModelResponse, ShowResponse, StatusResponse, VersionResponse } from 'ollama';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import type { ModelCard } from '../../../src/contract/models/model.ts';
import type { LoadedModel } from '../../../src/contract/residency.ts';
import {
  createContext,
  createFakeRunner,
  engineInfo,
  get,
  loadedModel,
  modelCard,
  post,
  readJson,
} from '../fixtures.ts';
import type { Sent } from './fixtures.ts';

const SHA = 'ab'.repeat(32);
const card = modelCard({
  architecture: 'qwen2',
  quantization: 'Q8_0',
  parameterCount: 494_000_000,
  parameters: { temperature: 0.2, max_tokens: 500, stop: ['END'] },
  settings: { embedding: false, system_prompt: 'Be brief.', min_p: 0.1 },
});
const details = {
  parent_model: '',
  format: 'gguf',
  family: 'qwen2',
  families: ['qwen2'],
  parameter_size: '494M',
  quantization_level: 'Q8_0',
};
/** What `/api/tags` has of a model. The package has one type for that and for `/api/ps`, which has more. */
type Listed = Sent<Omit<ModelResponse, 'expires_at' | 'size_vram'>>;

const listed: Listed = {
  name: 'tiny',
  model: 'tiny',
  modified_at: '2023-11-14T22:13:20.000Z',
  size: 1234,
  digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  details,
};

function apiWith(cards: ModelCard[] = [card], loaded: LoadedModel[] = []) {
  const runner = createFakeRunner(undefined, loaded);
  const removed: string[] = [];
  const remover = { remove: async (id: string) => void removed.push(id) };
  return { api: createApi(createContext({ cards, runner, remover }).context), removed };
}

it('GET /api/version tells the version of Ollama whose API this is, which clients can compare', async () => {
  const expected: VersionResponse = { version: expect.stringMatching(/^\d+\.\d+\.\d+$/) };
  expect(await readJson(await apiWith().api(get('/api/version')))).toEqual(expected);
});

describe('GET /api/tags', () => {
  it('lists the models', async () => {
    expect(await readJson(await apiWith().api(get('/api/tags')))).toEqual({ models: [listed] });
  });

  it("has the file's own hash as the digest where that is known, else one that stays until the model changes", async () => {
    const sources = [{ filename: 'tiny.gguf', url: '', sha256: SHA }];
    const digestOf = async (some: ModelCard) =>
      (await readJson(await apiWith([some]).api(get('/api/tags')))).models[0].digest;
    expect(await digestOf(modelCard({ sources }))).toBe(SHA);
    expect(await digestOf(modelCard())).toBe(await digestOf(modelCard()));
    expect(await digestOf(modelCard({ created: 1 }))).not.toBe(await digestOf(modelCard()));
    expect(await digestOf(modelCard({ id: 'other' }))).not.toBe(await digestOf(modelCard()));
  });
});

describe('GET /api/ps', () => {
  it('lists those that are loaded, with their window and memory', async () => {
    const other = modelCard({ id: 'other' });
    const { api } = apiWith([card, other], [loadedModel()]);
    const reply = await readJson(await api(get('/api/ps')));
    const expected: Sent<ModelResponse> & { context_length: number } = {
      ...listed,
      size: 3_000_000,
      size_vram: 0,
      context_length: 512,
      expires_at: expect.any(String),
    };
    expect(reply).toEqual({ models: [expected] });
    expect(Date.parse(reply.models[0].expires_at)).toBeGreaterThan(Date.now());
  });

  it('counts the memory of a model on a GPU as video memory', async () => {
    const onGpu = loadedModel({ engine: { ...engineInfo, backend: 'gpu' } });
    expect((await readJson(await apiWith([card], [onGpu]).api(get('/api/ps')))).models[0].size_vram).toBe(3_000_000);
  });
});

describe('POST /api/show', () => {
  const show = async (some: ModelCard, loaded: LoadedModel[] = []) =>
    readJson(await apiWith([some], loaded).api(post('/api/show', { model: 'tiny:latest' })));

  it('tells all that is known of a model', async () => {
    // The package calls `model_info` a Map, which JSON has not.
    const expected: Sent<Omit<ShowResponse, 'model_info'>> & { model_info: object } = {
      license: '',
      modelfile:
        'FROM tiny\nPARAMETER num_ctx 4096\nPARAMETER num_predict 500\nPARAMETER temperature 0.2\nPARAMETER min_p 0.1\n' +
        'PARAMETER stop "END"\nSYSTEM "Be brief."',
      parameters: 'num_ctx 4096\nnum_predict 500\ntemperature 0.2\nmin_p 0.1\nstop "END"',
      template: '',
      system: 'Be brief.',
      details,
      messages: [],
      modified_at: '2023-11-14T22:13:20.000Z',
      model_info: {
        'general.architecture': 'qwen2',
        'general.basename': 'Tiny',
        'general.parameter_count': 494_000_000,
        'qwen2.context_length': 4096,
      },
      capabilities: ['completion'],
    };
    expect(await show(card)).toEqual(expected);
  });

  it('tells the window that a loaded model has, since clients take it for what they may fill', async () => {
    const reply = await show(card, [loadedModel()]);
    expect(reply.model_info['qwen2.context_length']).toBe(512);
    expect(reply.parameters).toContain('num_ctx 512');
  });

  it.each<[card: Partial<ModelCard>, capabilities: string[]]>([
    [{ settings: { embedding: true } }, ['embedding']],
    [{ rankingModel: true }, []],
    [{ settings: { embedding: false, vision_model: true }, audioModel: true }, ['completion', 'vision', 'audio']],
    [
      { settings: { embedding: false, prompt_template: '{{ tools }}<think></think><tool_call>{{ messages }}' } },
      ['completion', 'tools', 'thinking'],
    ],
  ])('tells what a model can do: %j', async (some, capabilities) => {
    expect((await show(modelCard(some))).capabilities).toEqual(capabilities);
  });

  it('says 404 of a model that is not there', async () => {
    const reply = await apiWith().api(post('/api/show', { model: 'nope' }));
    expect(reply.status).toBe(404);
    expect(await readJson(reply)).toEqual({ error: "model 'nope' not found" });
  });
});

describe('DELETE /api/delete', () => {
  const remove = (body: object) => post('/api/delete', body, { method: 'DELETE' });

  it('removes a model', async () => {
    const { api, removed } = apiWith();
    const expected: StatusResponse = { status: 'success' };
    expect(await readJson(await api(remove({ name: 'tiny:latest' })))).toEqual(expected);
    expect(removed).toEqual(['tiny']);
  });

  it('says 404 of a model that is not there', async () => {
    const { api, removed } = apiWith();
    expect((await api(remove({ model: 'nope' }))).status).toBe(404);
    expect(removed).toEqual([]);
  });

  it('is closed to web pages that may only ask models', async () => {
    const { api, removed } = apiWith();
    const headers = { origin: 'http://localhost:3000', host: 'localhost:1337', 'content-type': 'application/json' };
    const request = { ...remove({ model: 'tiny' }), headers };
    const reply = await api(request);
    expect(reply.status).toBe(403);
    expect(await readJson(reply)).toEqual({ error: expect.stringContaining('http://localhost:3000') });
    expect(removed).toEqual([]);
  });
});

it.each(['copy', 'create', 'push'])('POST /api/%s says that it is not there', async (what) => {
  const reply = await apiWith().api(post(`/api/${what}`, { model: 'tiny' }));
  expect(reply.status).toBe(501);
  expect(await readJson(reply)).toEqual({ error: expect.stringContaining('can not be copied, created or pushed') });
});
