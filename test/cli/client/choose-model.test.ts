import { describe, expect, it } from 'vitest';
import { chooseModel } from '../../../src/cli/client/choose-model.ts';
import type { ListedModel } from '../../../src/contract/models/model.ts';

function model(
  id: string,
  more: { loaded?: boolean; template?: string; embedding?: boolean; rerank?: boolean } = {},
): ListedModel {
  const { embedding = false, rerank = false } = more;
  return {
    id,
    object: 'model',
    created: 0,
    type: 'model',
    display_name: id,
    created_at: '1970-01-01T00:00:00.000Z',
    owned_by: '',
    name: id,
    version: '1',
    format: 'gguf',
    engine: 'llama.cpp',
    description: '',
    settings: { embedding, ...(more.template !== undefined && { prompt_template: more.template }) },
    parameters: {},
    metadata: { author: '', tags: [], size: 1, cover: '' },
    context_length: 1,
    meta: { n_ctx: 1, n_ctx_train: 1, n_params: 1, size: 1 },
    capabilities: { vision: false, audio: false, tools: false, reasoning: false, embedding, rerank },
    loaded: more.loaded ?? false,
    backend: null,
  };
}

const base = model('base');
const chat = model('chat', { template: 't' });
const loaded = model('loaded', { template: 't', loaded: true });
const embedder = model('embedder', { embedding: true, loaded: true });
const ranker = model('ranker', { rerank: true, loaded: true });

describe('the model of a command', () => {
  it.each([
    ['one that is loaded', [embedder, ranker, base, chat, loaded], 'loaded'],
    ['the first with a chat template', [embedder, base, chat, model('later', { template: 't' })], 'chat'],
    ['any that is for text', [ranker, base], 'base'],
  ])('is %s if the user names none', (_, models, id) => expect(chooseModel(models, undefined).id).toBe(id));

  it('is the named one, whatever its kind', () => {
    expect(chooseModel([chat, embedder], 'embedder')).toBe(embedder);
  });

  it.each([
    [[], undefined, 'the server has no models; paddock pull fetches one'],
    [[embedder, ranker], undefined, 'none of the models can chat: embedder, ranker'],
    [[chat, base], 'none', "there is no model 'none'; there are chat, base"],
  ])('leads to an error in words if there is none', (models, wanted, message) => {
    expect(() => chooseModel(models, wanted)).toThrow(message);
  });
});
