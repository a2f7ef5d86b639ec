import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineOptions, TextEngine, TextRequest } from '../../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../../src/engine/native/engine.ts';
import { greedy, narrow, textRequest } from '../../../kit/generation.ts';
import { silentLog } from '../../../kit/log.ts';
import { writeRecurrentMtpModel } from '../../../kit/models/draft-heads/recurrent-mtp-model.ts';
import { until } from '../../../kit/until.ts';
import { writeReply } from '../../../kit/written-reply.ts';

// A Qwen3.5 has a recurrent state, and its MTP layer a cache that can drop any tokens. The bias leaves the model three tokens: some
// guesses are then right, and others wrong.

const PROMPTS = ['one two three', 'a b a b a b a b', `${'long '.repeat(20)}end`];
const SEEDED = { ...narrow, temperature: 0.4, topK: 40, seed: 5 };

let folder: string;
let guessing: TextEngine;
let plain: TextEngine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-mtp-recurrent-'));
  writeRecurrentMtpModel(join(folder, 'model.gguf'));
  guessing = await load({ mtp: {}, states: 7 });
  plain = await load({ oneByOne: true, states: 7 });
});
afterAll(async () => {
  await guessing[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function load(more: Partial<EngineOptions>): Promise<TextEngine> {
  const options = { files: [join(folder, 'model.gguf')], kind: 'chat' as const, contextLength: 512, slots: 3 };
  return loadNativeEngine({ ...options, threads: 1, batchSize: 48, ...more }, 'cpu', silentLog);
}

function say(engine: TextEngine, prompt: string, more: Partial<TextRequest> = {}) {
  return writeReply(
    engine,
    textRequest(prompt, { maxTokens: 80, journal: true, sampling: narrow, cachePrompt: false, ...more }),
  );
}

describe('a model with a recurrent state and an MTP layer', () => {
  /** The guesses of the replies below. Whether a single reply has some depends on the times of its passes. */
  const guesses = { made: 0, right: 0 };

  it('uses the layer', () => {
    expect(guessing.info.mtp).toBe('used');
    expect(plain.info.mtp).toBeUndefined();
  });

  it('does not use it where no earlier states are kept, with which guesses are taken back', async () => {
    await using without = await load({ mtp: {} });
    expect(without.info.mtp).toMatch(/^not used: the recurrent state/);
    expect((await say(without, 'one two')).tokens).toEqual((await say(plain, 'one two')).tokens);
  });

  it.each<[string, Partial<TextRequest>]>([
    ['greedy', { sampling: greedy }],
    ['greedy among three tokens', {}],
    ['seeded', { sampling: SEEDED }],
  ])('has the same replies as without it, %s', async (_, more) => {
    for (const prompt of PROMPTS) {
      const reply = await say(guessing, prompt, more);
      expect(reply.tokens).toEqual((await say(plain, prompt, more)).tokens);
      guesses.made += reply.guesses.made;
      guesses.right += reply.guesses.right;
    }
  });

  it('has guesses, some of them right, and some wrong, which are taken back', () =>
    // Whether a guess is worth its time is measured, and the machine may be busy.
    until(async () => {
      if (guesses.right > 0 && guesses.made > guesses.right) return true;
      const reply = await say(guessing, PROMPTS[0] ?? '');
      guesses.made += reply.guesses.made;
      guesses.right += reply.guesses.right;
      return false;
    }));

  it('has the same replies beside one another', async () => {
    const replies = await Promise.all(PROMPTS.map((prompt) => say(guessing, prompt)));
    for (const [index, prompt] of PROMPTS.entries())
      expect(replies[index]?.tokens).toEqual((await say(plain, prompt)).tokens);
  });

  it('goes on from earlier turns', async () => {
    for (const maxTokens of [20, 31, 42]) {
      const begun = `Say ${maxTokens}: a b a b`;
      const first = await say(guessing, begun, { maxTokens, cachePrompt: true });
      const next = `${begun}${first.text} And`;
      const reply = await say(guessing, next, { maxTokens: 30, cachePrompt: true });
      expect(reply.tokens).toEqual((await say(plain, next, { maxTokens: 30 })).tokens);
    }
  });
});
