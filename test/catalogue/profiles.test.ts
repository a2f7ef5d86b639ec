import { describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/api.ts';
import { findByName } from '../../src/contract/models/find-model.ts';
import { chat, createContext, createFakeRunner, get, modelCard, readJson } from '../api/fixtures.ts';

const profiled = modelCard({
  settings: { ...modelCard().settings, system_prompt: 'You are kind.' },
  parameters: { temperature: 0.9, top_k: 7 },
  profiles: {
    strict: { settings: { system_prompt: 'You are strict.', temperature: 0.1 }, parameters: {} },
    short: { settings: {}, parameters: { max_tokens: 5 } },
    other: { settings: {}, parameters: {} },
  },
});
const cards = [profiled, modelCard({ id: 'other' })];

/** What a request to a model asks of the engine. */
async function ask(model: string, more: object = {}) {
  const runner = createFakeRunner();
  const api = createApi(createContext({ cards, runner }).context);
  expect((await api(chat({ model, ...more }))).status).toBe(200);
  return runner.asked[0];
}

describe('the profiles of a model', () => {
  it('are names of the same model, with defaults of their own that come before those of the model', async () => {
    const strict = await ask('strict');
    expect(strict?.modelId).toBe('tiny');
    expect(strict?.request.sampling).toMatchObject({ temperature: 0.1, topK: 7 });
    expect(JSON.stringify(strict?.request)).toContain('You are strict.');

    const short = await ask('short');
    expect(short?.request).toMatchObject({ maxTokens: 5, sampling: { temperature: 0.9, topK: 7 } });
    expect(JSON.stringify(short?.request)).toContain('You are kind.');
    expect((await ask('tiny'))?.request.sampling).toMatchObject({ temperature: 0.9 });
  });

  it('give way to what a request asks for, and to ids', async () => {
    expect((await ask('strict', { temperature: 0.5 }))?.request.sampling).toMatchObject({ temperature: 0.5 });
    expect((await ask('other'))?.modelId).toBe('other');
  });

  it('are listed with their defaults and the id of their model', async () => {
    const api = createApi(createContext({ cards }).context);
    const { data } = await readJson(await api(get('/v1/models')));
    const listed = data.map(({ id, alias_of }: { id: string; alias_of?: string }) => [id, alias_of]);
    expect(listed).toEqual([
      ['tiny', undefined],
      ['strict', 'tiny'],
      ['short', 'tiny'],
      ['other', undefined],
    ]);
    expect(data[1].settings).toMatchObject({ system_prompt: 'You are strict.', temperature: 0.1 });
    expect(data[1].parameters).toEqual({ top_k: 7 });
    expect(await readJson(await api(get('/v1/models/strict')))).toMatchObject({ id: 'tiny', parameters: { top_k: 7 } });
  });

  it('give way to the alias of another model, in requests and in the list', async () => {
    const named = [profiled, modelCard({ id: 'other', aliases: ['strict'] })];
    const runner = createFakeRunner();
    const api = createApi(createContext({ cards: named, runner }).context);
    expect((await api(chat({ model: 'strict' }))).status).toBe(200);
    expect(runner.asked[0]?.modelId).toBe('other');
    const { data } = await readJson(await api(get('/v1/models')));
    expect(data.filter(({ id }: { id: string }) => id === 'strict')).toMatchObject([{ alias_of: 'other' }]);
  });

  it('have one card each, as long as the model has the same one', () => {
    const catalogue = { list: () => cards, find: (id: string) => cards.find((card) => card.id === id) };
    expect(findByName(catalogue, 'strict')).toBe(findByName(catalogue, 'strict'));
    expect(findByName(catalogue, 'toString')).toBeUndefined();
  });
});
