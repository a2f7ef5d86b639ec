import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeEmbeddingModel, writeRerankModel } from '../kit/models/embedding-model.ts';
import { writeTinyModel } from '../kit/models/tiny-model.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';
import { postJson } from './target.ts';

const texts = [
  'hello world',
  'the quick brown fox',
  'naïve 漢字 😀',
  '<|im_start|>user',
  ' ',
  'many words '.repeat(40),
];

let folder: string;
let servers: RunningServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-agreement-'));
  writeEmbeddingModel(join(folder, 'mean.gguf'));
  writeEmbeddingModel(join(folder, 'last.gguf'), { pooling: 'last', dimensions: 128 });
  writeTinyModel(join(folder, 'tiny.gguf'));
  const template = '<|im_start|>user\n<Query>: {query}\n<Document>: {document}<|im_end|>\n';
  for (const architecture of ['qwen3', 'bert'] as const) {
    writeRerankModel(join(folder, `${architecture}.gguf`), { architecture });
    writeRerankModel(join(folder, `${architecture}-template.gguf`), { architecture, template });
  }
  servers = await Promise.all(
    ['cpu', 'wasm'].map((backend) =>
      startServer(['--models', folder, '--backend', backend, '--threads', '1', '--slots', '1'], {
        PADDOCK_LOG_LEVEL: 'warn',
      }),
    ),
  );
});
afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop()));
  await rm(folder, { recursive: true });
});

/** The answers of both servers, the native one first. */
async function answers(path: string, body: Record<string, unknown>) {
  const bodies = [];
  for (const { url } of servers) bodies.push((await postJson({ url, apiKey: '' }, path, body)).body);
  return bodies;
}

describe('the native and the WebAssembly backend', () => {
  it.each(['mean', 'last'])('make the same vectors of the same tokens, of a model that pools by %s', async (model) => {
    const [native, wasm] = await answers('/v1/embeddings', { model, input: texts });
    expect(native.data).toHaveLength(texts.length);
    expect(native.usage).toEqual(wasm.usage);
    native.data.forEach(({ embedding }: { embedding: number[] }, index: number) => {
      const other: number[] = wasm.data[index].embedding;
      const cosine = embedding.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);
      expect(cosine, texts[index]).toBeGreaterThan(0.999);
    });
  });

  it.each(['qwen3', 'bert', 'qwen3-template', 'bert-template'])('give the same scores, of %s', async (model) => {
    const [native, wasm] = await answers('/v1/rerank', { model, query: 'where is it?', documents: texts });
    expect(native.results).toHaveLength(texts.length);
    expect(native.usage).toEqual(wasm.usage);
    for (const { index, relevance_score } of native.results) {
      const other = wasm.results.find((result: { index: number }) => result.index === index);
      expect(other.relevance_score, texts[index]).toBeCloseTo(relevance_score, 3);
    }
  });

  it('give the same probabilities of decisions', async () => {
    const criteria = { bug: null, bugfix: null, other: null };
    const [native, wasm] = await answers('/v1/systemone', {
      model: 'tiny',
      state: 'It broke.',
      questions: {
        urgent: { type: 'noul', instructions: 'Is it urgent?' },
        team: { type: 'choice', instructions: 'Who?', criteria },
      },
    });
    expect(native.usage).toEqual(wasm.usage);
    // The native engine keeps half floats in its KV cache, WebAssembly floats. A label has several tokens.
    expect(wasm.answers.urgent.noul).toBeCloseTo(native.answers.urgent.noul, 2);
    for (const label of Object.keys(criteria))
      expect(wasm.answers.team.probabilities[label], label).toBeCloseTo(native.answers.team.probabilities[label], 2);
  });

  it('refuse an overlong text in the same words', async () => {
    for (const [path, body] of [
      [
        '/v1/systemone',
        { model: 'tiny', state: 'no end '.repeat(2000), questions: { q: { type: 'noul', instructions: '?' } } },
      ],
      ['/v1/embeddings', { model: 'mean', input: 'q'.repeat(600) }],
      ['/v1/rerank', { model: 'qwen3', query: 'q', documents: ['x', 'q'.repeat(600)] }],
    ] as const) {
      const [native, wasm] = await answers(path, body);
      expect(native.error.code).toBe('context_length_exceeded');
      expect(wasm).toEqual(native);
    }
  });
});
