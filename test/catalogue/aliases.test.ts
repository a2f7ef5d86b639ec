import { describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/api.ts';
import { readAlias, withAliases } from '../../src/catalogue/aliases.ts';
import type { ModelCard } from '../../src/contract/models/model.ts';
import { chat, createContext, createFakeRunner, get, modelCard, post, readJson } from '../api/fixtures.ts';

const catalogueOf = (...cards: ModelCard[]) => ({
  list: () => cards,
  find: (id: string) => cards.find((card) => card.id === id),
});

describe('aliases', () => {
  it('are read from name=id', () => {
    expect(readAlias('gpt-4o-mini=qwen3:4b')).toEqual({ name: 'gpt-4o-mini', model: 'qwen3:4b' });
    expect(readAlias('a=b=c')).toEqual({ name: 'a', model: 'b=c' });
    for (const wrong of ['a', '=b', 'a=', '']) expect(readAlias(wrong)).toMatch(/must be name=id/);
    expect(readAlias('../a=b')).toMatch(/must begin with a name/);
  });

  it('answer for their model, and are listed with it', async () => {
    const runner = createFakeRunner();
    const cards = [modelCard({ aliases: ['small'] }), modelCard({ id: 'other' })];
    const catalogue = withAliases(catalogueOf(...cards), ['gpt-4o-mini=other', 'nobody=none']);
    const api = createApi(createContext({ catalogue, runner }).context);
    for (const model of ['small', 'gpt-4o-mini', 'other']) expect((await api(chat({ model }))).status, model).toBe(200);
    expect(runner.asked.map(({ modelId }) => modelId)).toEqual(['tiny', 'other', 'other']);
    expect((await api(chat({ model: 'nobody' }))).status).toBe(404);

    const { data, last_id } = await readJson(await api(get('/v1/models')));
    const listed = data.map((model: { id: string; alias_of?: string }) => [model.id, model.alias_of]);
    expect(listed).toEqual([
      ['tiny', undefined],
      ['small', 'tiny'],
      ['other', undefined],
      ['gpt-4o-mini', 'other'],
    ]);
    expect(data[0].aliases).toEqual(['small']);
    expect(last_id).toBe('gpt-4o-mini');
    expect(await readJson(await api(get('/v1/models/gpt-4o-mini')))).toMatchObject({ id: 'other' });
    expect((await api(post('/api/show', { model: 'small' }))).status).toBe(200);
  });

  it('give way to ids, and the first of equal ones counts', async () => {
    const cards = [modelCard({ aliases: ['other', 'same'] }), modelCard({ id: 'other', aliases: ['same'] })];
    const api = createApi(createContext({ cards }).context);
    expect(await readJson(await api(get('/v1/models/other')))).toMatchObject({ id: 'other' });
    expect(await readJson(await api(get('/v1/models/same')))).toMatchObject({ id: 'tiny' });
    const { data } = await readJson(await api(get('/v1/models')));
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['tiny', 'same', 'other']);
  });

  it('may name starter models, and leave the cards of other models as they are', () => {
    const starter = modelCard({ id: 'Qwen/Qwen3-4B-GGUF:Q4_K_M' });
    const other = modelCard();
    const catalogue = withAliases(catalogueOf(starter, other), ['gpt=qwen3:4b']);
    expect(catalogue.list()).toEqual([{ ...starter, aliases: ['gpt'] }, other]);
    expect(catalogue.find('tiny')).toBe(other);
    // The API keeps the text of a model as long as its card is the same object.
    expect(catalogue.find(starter.id)).toBe(catalogue.list()[0]);
  });
});
