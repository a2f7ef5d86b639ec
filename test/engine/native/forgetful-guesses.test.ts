import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { narrow, textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { writeHybridModel, writeWindowModel } from '../../kit/models/forgetful-model.ts';
import { writeReply } from '../../kit/written-reply.ts';

// A model with a sliding window can drop the tokens of its latest pass, and so can one with a recurrent state that keeps earlier states:
// wrong guesses. The bias leaves the models three tokens: some guesses are then right, and others wrong.

const SEEDED = { ...narrow, temperature: 0.4, topK: 40, seed: 5 };
const PROMPTS = ['one two three', 'a b a b a b a b', 'Quote this: some words and some other words.'];
const SLOTS = 3;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-forgetful-guesses-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  { kind: 'a recurrent state', write: writeHybridModel, states: 7, most: 7 },
  { kind: 'a recurrent state that keeps one earlier state', write: writeHybridModel, states: 1, most: 1 },
  { kind: 'a sliding window', write: writeWindowModel, states: 0, most: 15 },
])('a model with $kind', ({ kind, write, states, most }) => {
  let ahead: TextEngine;
  let plain: TextEngine;
  /** The guesses of the replies below. Whether a single reply has some depends on the times of its passes. */
  const guesses = { made: 0, right: 0 };

  beforeAll(async () => {
    const file = join(folder, `${kind}.gguf`);
    write(file);
    const load = (oneByOne: boolean) => {
      const options = { files: [file], kind: 'chat' as const, contextLength: 1024, slots: SLOTS, threads: 1 };
      return loadNativeEngine({ ...options, batchSize: 48, states, oneByOne }, 'cpu', silentLog);
    };
    [ahead, plain] = [await load(false), await load(true)];
  });
  afterAll(async () => {
    await ahead[Symbol.asyncDispose]();
    await plain[Symbol.asyncDispose]();
  });

  function say(engine: TextEngine, prompt: string, more: Partial<TextRequest> = {}) {
    return writeReply(engine, textRequest(prompt, { maxTokens: 80, journal: true, ...more }));
  }

  it.each<[string, Partial<TextRequest>]>([
    ['greedy', { sampling: narrow }],
    ['seeded', { sampling: SEEDED }],
    ['with a grammar', { grammar: 'root ::= ("abc " | "abd ")+' }],
    ['up to its last token', { sampling: narrow, maxTokens: 37 }],
  ])('has the same reply with guesses as without, %s', async (_, more) => {
    for (const prompt of PROMPTS) {
      const guessed = await say(ahead, prompt, { ...more, cachePrompt: false });
      const drawn = await say(plain, prompt, { ...more, cachePrompt: false });
      expect(guessed.tokens).toEqual(drawn.tokens);
      expect(guessed.text).toBe(drawn.text);
      guesses.made += guessed.guesses.made;
      guesses.right += guessed.guesses.right;
    }
  });

  it('has the same replies with guesses as without, beside one another', async () => {
    for (const sampling of [narrow, SEEDED]) {
      const asked = { sampling, cachePrompt: false };
      const replies = await Promise.all(PROMPTS.map((prompt) => say(ahead, prompt, asked)));
      for (const [index, prompt] of PROMPTS.entries())
        expect(replies[index]?.tokens).toEqual((await say(plain, prompt, asked)).tokens);
    }
  });

  it('has made guesses, some of which were wrong and had to be taken back', () => {
    expect(guesses.right).toBeGreaterThan(0);
    expect(guesses.made).toBeGreaterThan(guesses.right);
  });

  it(`guesses at most ${most} tokens at a time`, async () => {
    const reply = await say(ahead, 'a b a b a b', { sampling: narrow, cachePrompt: false });
    expect(reply.guesses?.made ?? 0).toBeLessThanOrEqual(most * reply.tokens.length);
  });

  it('goes on from a reply with guesses, in the next turn and in other slots', async () => {
    for (const maxTokens of [30, 41, 52, 63]) {
      const first = await say(ahead, `Say ${maxTokens}: a b a b`, { sampling: narrow, maxTokens });
      const next = `Say ${maxTokens}: a b a b${first.text} And`;
      const wanted = await say(plain, next, { sampling: narrow, cachePrompt: false });
      const replies = await Promise.all(Array.from({ length: SLOTS }, () => say(ahead, next, { sampling: narrow })));
      for (const { text } of replies) expect(text).toBe(wanted.text);
    }
  });
});
