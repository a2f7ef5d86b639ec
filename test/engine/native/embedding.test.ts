import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineOptions, TextEngine } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { ask } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { writeEmbeddingModel, writeRerankModel } from '../../kit/models/embedding-model.ts';

const CONTEXT_LENGTH = 512;

let folder: string;
const engines: TextEngine[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-embedding-'));
});
afterAll(async () => {
  for (const engine of engines) await engine[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function load(name: string, kind: EngineOptions['kind'], more: Partial<EngineOptions> = {}): Promise<TextEngine> {
  const engine = await loadNativeEngine(
    { files: [join(folder, name)], kind, contextLength: null, slots: 4, threads: 1, batchSize: 64, ...more },
    'cpu',
    silentLog,
  );
  engines.push(engine);
  return engine;
}

async function vectorsOf(engine: TextEngine, ...inputs: (string | number[])[]): Promise<number[][]> {
  return (await engine.ask('embed', { inputs })).vectors;
}

describe('the native engine, with a model for embeddings', () => {
  let engine: TextEngine;
  beforeAll(async () => {
    writeEmbeddingModel(join(folder, 'mean.gguf'), { dimensions: 32 });
    engine = await load('mean.gguf', 'embedding');
  });

  it('makes vectors of length 1, equal ones of equal texts', async () => {
    const [hello, fox, again] = await vectorsOf(engine, 'hello world', 'the quick brown fox', 'hello world');
    expect(hello).toHaveLength(32);
    for (const vector of [hello, fox]) expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 6);
    expect(again).toEqual(hello);
    expect(fox).not.toEqual(hello);
  });

  it('makes the same vector of tokens as of their text', async () => {
    const { tokens } = await engine.ask('tokenize', { text: 'the quick brown fox', addSpecial: false });
    expect(await vectorsOf(engine, tokens)).toEqual(await vectorsOf(engine, 'the quick brown fox'));
    await expect(vectorsOf(engine, [1, 99_999])).rejects.toMatchObject({ data: { status: 400 } });
  });

  it('counts the tokens of all inputs, with those that the model wants around a text', async () => {
    expect((await engine.ask('embed', { inputs: ['hello', 'hello world'] })).tokens).toBe(2 + 3);
  });

  it('reads a text that fills its context, and refuses a longer one before it reads any', async () => {
    const { tokens } = await engine.ask('embed', { inputs: ['q'.repeat(CONTEXT_LENGTH - 1)] });
    expect(tokens).toBe(CONTEXT_LENGTH);
    await expect(vectorsOf(engine, 'short', 'q'.repeat(CONTEXT_LENGTH))).rejects.toMatchObject({
      message: expect.stringMatching(/513 tokens.*holds 512/),
      data: { status: 400, code: 'context_length_exceeded', param: 'input' },
    });
  });

  it('gives questions at the same time the same answers as alone', async () => {
    const texts = Array.from({ length: 8 }, (_, index) => `text ${index} ${'of words '.repeat(index)}`);
    const alone = await vectorsOf(engine, ...texts);
    const together = await Promise.all(texts.map((text) => vectorsOf(engine, text)));
    expect(together.flat()).toEqual(alone);
  });

  it('neither writes nor ranks', async () => {
    const signal = new AbortController().signal;
    const { sampling, stop, banned, maxTokens, cachePrompt, choices, logprobs } = ask('hello');
    const request = { sampling, stop, banned, maxTokens, cachePrompt, choices, logprobs };
    await expect(
      engine.generate({ ...request, prompt: 'hello', media: [], grammar: null, marks: [] }, () => {}, signal),
    ).rejects.toMatchObject({ data: { status: 400, param: 'model' } });
    await expect(engine.ask('rerank', { query: 'a', documents: ['b'] })).rejects.toMatchObject({
      data: { status: 400, param: 'model' },
    });
  });

  it('reads no longer texts than it was trained on, whatever context is asked for', async () => {
    const wide = await load('mean.gguf', 'embedding', { contextLength: 4096 });
    expect(wide.info.contextLength).toBe(CONTEXT_LENGTH);
    const narrow = await load('mean.gguf', 'embedding', { contextLength: 100 });
    expect(narrow.info.contextLength).toBe(100);
    expect(await vectorsOf(narrow, 'q'.repeat(99))).toHaveLength(1);
    await expect(vectorsOf(narrow, 'q'.repeat(100))).rejects.toThrow('101 tokens');
  });

  it('reads long texts batch by batch if the vector is that of the last token', async () => {
    writeEmbeddingModel(join(folder, 'last.gguf'), { pooling: 'last' });
    const batches = await load('last.gguf', 'embedding', { batchSize: 16 });
    const whole = await load('last.gguf', 'embedding', { batchSize: CONTEXT_LENGTH });
    const text = 'that is the world, and you? '.repeat(10);
    const [[one = []], [other = []]] = [await vectorsOf(batches, text), await vectorsOf(whole, text)];
    expect(one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)).toBeGreaterThan(0.999);
  });
});

describe.each(['qwen3', 'bert'] as const)('the native engine, with a model that ranks, of %s', (architecture) => {
  let engine: TextEngine;
  beforeAll(async () => {
    writeRerankModel(join(folder, `${architecture}.gguf`), { architecture });
    engine = await load(`${architecture}.gguf`, 'rerank');
  });

  it('scores each document between 0 and 1, in order', async () => {
    const documents = ['in Bonn', 'the world is round', '', 'in Bonn'];
    const { scores } = await engine.ask('rerank', { query: 'where is it?', documents });
    expect(scores).toHaveLength(documents.length);
    expect(scores[3]).toBe(scores[0]);
    expect(new Set(scores).size).toBe(3);
    for (const score of scores) expect(score > 0 && score < 1).toBe(true);
  });

  it('counts start, query, end, document and end for each document', async () => {
    const { tokens } = await engine.ask('rerank', { query: 'hello', documents: ['ab', 'abc'] });
    expect(tokens).toBe(1 + 1 + 1 + 2 + 1 + (1 + 1 + 1 + 3 + 1));
  });

  it('reads a document that fills the context, and refuses a longer one', async () => {
    const scored = await engine.ask('rerank', { query: 'q', documents: ['q'.repeat(CONTEXT_LENGTH - 4)] });
    expect(scored.tokens).toBe(CONTEXT_LENGTH);
    const refused = engine.ask('rerank', { query: 'q', documents: ['x', 'q'.repeat(CONTEXT_LENGTH - 3)] });
    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(/513 tokens.*holds 512/),
      data: { status: 400, code: 'context_length_exceeded', param: 'documents' },
    });
  });

  it('puts the texts into the template of the model', async () => {
    const template = '<|im_start|>{query}\n{document}<|im_end|>';
    writeRerankModel(join(folder, `${architecture}-template.gguf`), { architecture, template });
    const templated = await load(`${architecture}-template.gguf`, 'rerank');
    const { tokens } = await templated.ask('rerank', { query: '{document}', documents: ['abc'] });
    // The tokenizer's own start and end are not added. The end is part of the template.
    expect(tokens).toBe(1 + '{document}'.length + 1 + 3 + 1);
  });
});
