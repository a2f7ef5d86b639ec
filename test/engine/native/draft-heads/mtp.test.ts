import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../../src/contract/events.ts';
import type { Sampling } from '../../../../src/contract/sampling.ts';
import type { EngineOptions, TextEngine, TextRequest } from '../../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../../src/engine/native/engine.ts';
import { greedy, narrow, textRequest } from '../../../kit/generation.ts';
import { silentLog } from '../../../kit/log.ts';
import { writeMtpModel } from '../../../kit/models/draft-heads/mtp-model.ts';
import { until } from '../../../kit/until.ts';
import { writeChoices, writeReply } from '../../../kit/written-reply.ts';

const SLOTS = 4;
const SEEDED: Sampling = { ...narrow, temperature: 0.4, topK: 40, seed: 5 };
const PROMPTS = [
  'one two three',
  'a b a b a b a b',
  'Quote this: some words and some other words.',
  `${'long '.repeat(20)}end`,
];

let folder: string;
let engines: { right: TextEngine; wrong: TextEngine; plain: TextEngine };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-mtp-engine-'));
  writeMtpModel(join(folder, 'right.gguf'));
  writeMtpModel(join(folder, 'wrong.gguf'), { guessSeed: 9 });
  engines = {
    right: await load('right', { mtp: {} }),
    wrong: await load('wrong', { mtp: {} }),
    plain: await load('right', { oneByOne: true }),
  };
});
afterAll(async () => {
  for (const engine of Object.values(engines)) await engine[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function load(name: string, more: Partial<EngineOptions>, log = silentLog): Promise<TextEngine> {
  const options = { files: [join(folder, `${name}.gguf`)], kind: 'chat' as const, contextLength: 256, slots: SLOTS };
  return loadNativeEngine({ ...options, threads: 1, batchSize: 128, ...more }, 'cpu', log);
}

function say(engine: TextEngine, prompt: string, more: Partial<TextRequest> = {}) {
  return writeReply(
    engine,
    textRequest(prompt, { maxTokens: 30, journal: true, sampling: greedy, cachePrompt: false, ...more }),
  );
}

describe('a reply of a model with an MTP layer', () => {
  /**
   * The guesses of the replies below. Whether a single reply has some depends on the times of its passes, and some are of
   * earlier occurrences of its last tokens.
   */
  const made = { right: 0, wrong: 0 };
  let right = 0;

  it('soon has no guesses, where they are wrong', async () => {
    const { tokens, guesses } = await say(engines.wrong, 'one two three', { maxTokens: 120 });
    expect(guesses.right).toBe(0);
    expect(guesses.made).toBeLessThan(tokens.length / 4);
  });

  it.each<[string, Partial<TextRequest>]>([
    ['greedy', {}],
    ['seeded', { sampling: SEEDED }],
    ['with a grammar', { grammar: 'root ::= ("abc " | "abd ")+' }],
    ['up to its last token', { maxTokens: 23 }],
  ])('is what it is without the layer, %s', async (_, more) => {
    for (const prompt of PROMPTS) {
      const plain = await say(engines.plain, prompt, more);
      for (const kind of ['right', 'wrong'] as const) {
        const guessed = await say(engines[kind], prompt, more);
        expect(guessed.tokens).toEqual(plain.tokens);
        expect(guessed.text).toBe(plain.text);
        made[kind] += guessed.guesses.made;
        if (kind === 'right') right += guessed.guesses.right;
      }
    }
  });

  it('has right guesses, where they are right: a pass gives one token and those', () =>
    until(async () => right > 0 || (await say(engines.right, PROMPTS[0] ?? '')).guesses.right > 0));

  it('has guesses, where they are wrong', () =>
    until(async () => made.wrong > 0 || (await say(engines.wrong, PROMPTS[0] ?? '')).guesses.made > 0));
});

describe('replies of a model with an MTP layer', () => {
  const plainly = async (prompt: string, more: Partial<TextRequest> = {}) =>
    (await say(engines.plain, prompt, more)).tokens;

  it.each<[string, Partial<TextRequest>]>([
    ['greedy', {}],
    ['seeded', { sampling: SEEDED }],
  ])('are what they are without the layer, beside one another, %s', async (_, more) => {
    for (const engine of [engines.right, engines.wrong]) {
      const replies = await Promise.all(PROMPTS.map((prompt) => say(engine, prompt, more)));
      for (const [index, prompt] of PROMPTS.entries())
        expect(replies[index]?.tokens).toEqual(await plainly(prompt, more));
    }
  });

  it('are the same once one is alone that began beside others', async () => {
    const [long] = await Promise.all([
      say(engines.right, PROMPTS[0] ?? '', { maxTokens: 90 }),
      say(engines.right, PROMPTS[1] ?? '', { maxTokens: 20 }),
    ]);
    expect(long.tokens).toEqual(await plainly(PROMPTS[0] ?? '', { maxTokens: 90 }));
  });

  it('go on from common beginnings and from earlier turns', async () => {
    const system = 'be kind and brief. '.repeat(8);
    const asked = { cachePrompt: true, maxTokens: 24 };
    const together = await Promise.all(
      [1, 2, 3].map((index) => say(engines.right, `${system} Question ${index}`, asked)),
    );
    for (const [index, first] of together.entries()) {
      const begun = `${system} Question ${index + 1}`;
      expect(first.tokens).toEqual(await plainly(begun, { maxTokens: 24 }));
      const turn = `${begun}${first.text} And then?`;
      const next = await say(engines.right, turn, asked);
      expect(next.cached).toBeGreaterThan(80);
      expect(next.tokens).toEqual(await plainly(turn, { maxTokens: 24 }));
    }
  });

  it('are all choices of a request', async () => {
    const request = textRequest('one two', { choices: 3, maxTokens: 30, journal: true, sampling: SEEDED });
    expect(await writeChoices(engines.right, request)).toEqual(await writeChoices(engines.plain, request));
  });

  it('are the same after others were cancelled in the midst of a guess', async () => {
    for (const most of [1, 3, 9]) {
      const controller = new AbortController();
      let count = 0;
      const stop = (event: EngineEvent) => {
        if (event.kind === 'drawn' && ++count === most) controller.abort();
      };
      const asked = textRequest('one two three', { maxTokens: 40, journal: true, sampling: greedy, cachePrompt: true });
      await engines.right.generate(asked, stop, controller.signal);
      const whole = await say(engines.right, 'one two three', { cachePrompt: true });
      expect(whole.tokens).toEqual(await plainly('one two three'));
    }
  });

  it('are as long as the window', async () => {
    const reply = await say(engines.right, 'to the end', { maxTokens: null });
    expect(reply.tokens).toEqual(await plainly('to the end', { maxTokens: null }));
    expect(reply.tokens.length).toBeGreaterThan(200);
  });
});
