import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import type { TextEngine } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { writeHybridModel } from '../../kit/models/forgetful-model.ts';

const SLOTS = 4;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-weigh-'));
  writeHybridModel(join(folder, 'hybrid.gguf'));
});
afterAll(() => rm(folder, { recursive: true }));

const load = (file: string, slots = SLOTS) =>
  loadNativeEngine(
    { files: [file], kind: 'chat', contextLength: 512, slots, threads: 1, batchSize: 64 },
    'cpu',
    silentLog,
  );

/** Returns the probabilities of the tokens that follow a prompt, from the log probabilities of a generation. */
async function chancesAfter(engine: TextEngine, prompt: string): Promise<Map<string, number>> {
  const events: EngineEvent[] = [];
  const request = textRequest(prompt, { maxTokens: 8, logprobs: 20, cachePrompt: false });
  await engine.generate(request, (event) => events.push(event), new AbortController().signal);
  const told = events.flatMap((event) => (event.kind === 'text' ? (event.logprobs ?? []) : []));
  return new Map(told[0]?.alternatives.map(({ text, logprob }) => [text, Math.exp(logprob)]));
}

const total = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

describe('the options of a reply', () => {
  let engine: TextEngine;
  beforeAll(async () => {
    engine = await load(join(inject('modelsFolder'), 'tiny.gguf'));
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const weigh = (prompt: string, options: string[][], signal?: AbortSignal) =>
    engine.ask('weigh', { prompt, options, param: 'state' }, signal);

  it('are as likely as the tokens that a generation would draw, scaled to a sum of 1', async () => {
    const chances = await chancesAfter(engine, 'Tell me');
    const texts = [...chances.keys()].filter((text) => /^[ -~]*[!-~]$/.test(text)).slice(0, 3);
    expect(texts).toHaveLength(3);
    const { probabilities } = await weigh(
      'Tell me',
      texts.map((text) => [text]),
    );
    const whole = total(texts.map((text) => chances.get(text) ?? 0));
    for (const [index, text] of texts.entries())
      expect(probabilities[index]).toBeCloseTo((chances.get(text) ?? 0) / whole, 6);
  });

  it('are told apart at every token in which they differ', async () => {
    const { probabilities } = await weigh('Tell me', [['abc'], ['abd'], ['b']]);
    const { probabilities: first } = await weigh('Tell me', [['a'], ['b']]);
    const { probabilities: third } = await weigh('Tell meab', [['c'], ['d']]);
    expect(total(probabilities)).toBeCloseTo(1, 12);
    expect(probabilities[0]).toBeCloseTo((first[0] ?? 0) * (third[0] ?? 0), 6);
    expect(probabilities[1]).toBeCloseTo((first[0] ?? 0) * (third[1] ?? 0), 6);
  });

  it('read the prompt once: a second question about it evaluates the question alone', async () => {
    const state = 'The state of things. '.repeat(10);
    const one = await weigh(`${state}One?`, [['a'], ['b']]);
    expect(one.tokens).toBeGreaterThan(100);
    const other = await weigh(`${state}Other?`, [['a'], ['b']]);
    expect(other.cached).toBeGreaterThan(one.tokens - 10);
    const again = await weigh(`${state}Other?`, [['a'], ['b']]);
    expect(again.cached).toBe(again.tokens - 1);
    expect(again.probabilities[0]).toBeCloseTo(other.probabilities[0] ?? Number.NaN, 5);
  });

  it('may be weighed side by side, beside a generation, with the same result', async () => {
    const prompts = ['One?', 'Two?', 'Three?'];
    const alone: number[] = [];
    for (const prompt of prompts) alone.push((await weigh(prompt, [['yes'], ['no']])).probabilities[0] ?? Number.NaN);
    const request = textRequest('Tell me', { maxTokens: 40 });
    const running = engine.generate(request, () => {}, new AbortController().signal);
    const together = await Promise.all(prompts.map((prompt) => weigh(prompt, [['yes'], ['no']])));
    await running;
    for (const [index, { probabilities }] of together.entries())
      expect(probabilities[0]).toBeCloseTo(alone[index] ?? Number.NaN, 5);
  });

  it('are refused after a prompt that leaves no room for them, with both counts', async () => {
    await expect(weigh('x'.repeat(600), [['a'], ['b']])).rejects.toMatchObject({
      data: { status: 400, code: 'context_length_exceeded', param: 'state', n_ctx: 512 },
    });
    await expect(weigh('x'.repeat(505), [['a'.repeat(20)], ['b']])).rejects.toMatchObject({
      data: { code: 'context_length_exceeded' },
    });
  });

  it('give their slots back when they are cancelled', async () => {
    const abort = new AbortController();
    const asked = Array.from({ length: SLOTS }, (_, index) =>
      weigh(`${index} ${'x'.repeat(400)}`, [['a'], ['b']], abort.signal),
    );
    abort.abort();
    await Promise.allSettled(asked);
    const { probabilities } = await weigh('Tell me', [['a'], ['b']]);
    expect(total(probabilities)).toBeCloseTo(1, 12);
  });

  it('write no control token that they spell', async () => {
    const { probabilities } = await weigh('Tell me', [['<|im_end|>'], ['<|other|>']]);
    expect(total(probabilities)).toBeCloseTo(1, 12);
  });
});

describe('the options of a reply by a model that can not drop its latest tokens', () => {
  it('are as likely as after the prompt alone', async () => {
    const file = join(folder, 'hybrid.gguf');
    await using shared = await load(file);
    await using plain = await load(file, 1);
    const state = 'The state of things. '.repeat(5);
    for (const question of ['One?', 'Two?', 'Three?']) {
      const asked = { prompt: state + question, options: [['abc'], ['abd'], ['b']], param: 'state' };
      const { probabilities } = await shared.ask('weigh', asked);
      const { probabilities: expected } = await plain.ask('weigh', { ...asked, cacheScope: question });
      for (const [index, probability] of expected.entries()) expect(probabilities[index]).toBeCloseTo(probability, 5);
    }
  });
});
