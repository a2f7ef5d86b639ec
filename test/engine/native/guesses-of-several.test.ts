import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import type { planGuesses } from '../../../src/engine/native/step/guess-plan.ts';
import { greedy, textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';

// Whether several replies have guesses depends on the times of passes. Here every reply that may have one has, whatever it costs, and
// fills up what it does not guess: the texts must be those of an engine that draws every token by itself.

const ADDED = 3;
vi.mock('../../../src/engine/native/step/guess-plan.ts', async (original) => {
  const module = await original<object>();
  const everywhere: typeof planGuesses = (demands, { room }) => {
    const added = demands.map(({ reply, offer }) => (reply > 0 && offer ? Math.min(ADDED, offer.most) : 0));
    return added.reduce((total, count) => total + count + 1, 0) > room ? null : { added, ms: 1 };
  };
  return { ...module, planGuesses: everywhere };
});

const NARROW = {
  ...greedy,
  logitBias: [
    [262, 30],
    [270, 30],
    [281, 30],
  ] as [number, number][],
};
const PROMPTS = ['one two three', 'a b a b a b a b', 'Quote this: some words and some other words.', 'x'];

let ahead: TextEngine;
let plain: TextEngine;
beforeAll(async () => {
  const files = [join(inject('modelsFolder'), 'tiny.gguf')];
  const options = { files, kind: 'chat' as const, contextLength: 512, slots: 4, threads: 1, batchSize: 128 };
  ahead = await loadNativeEngine(options, 'cpu', silentLog);
  plain = await loadNativeEngine({ ...options, oneByOne: true }, 'cpu', silentLog);
});
afterAll(async () => {
  await ahead[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
});

async function say(engine: TextEngine, prompt: string, more: Partial<TextRequest>) {
  const events: EngineEvent[] = [];
  const request = textRequest(prompt, { maxTokens: 120, cachePrompt: false, journal: true, ...more });
  await engine.generate(request, (event) => events.push(event), new AbortController().signal);
  const done = events.find((event) => event.kind === 'done');
  return {
    tokens: events.flatMap((event) => (event.kind === 'drawn' ? [event.token] : [])),
    guesses: done?.kind === 'done' ? done.guesses : undefined,
  };
}

describe('several replies with guesses', () => {
  it.each<[string, Partial<TextRequest>]>([
    ['greedy', { sampling: NARROW }],
    ['seeded', { sampling: { ...NARROW, temperature: 0.4, topK: 40, seed: 5 } }],
    ['with a grammar', { grammar: 'root ::= ("abc " | "abd ")+' }],
    ['up to the end of their windows', { sampling: NARROW, maxTokens: null }],
  ])('are each what they are without, %s', async (_, more) => {
    const replies = await Promise.all(PROMPTS.map((prompt) => say(ahead, prompt, more)));
    const guesses = { made: 0, right: 0 };
    for (const [index, prompt] of PROMPTS.entries()) {
      expect(replies[index]?.tokens).toEqual((await say(plain, prompt, more)).tokens);
      guesses.made += replies[index]?.guesses?.made ?? 0;
      guesses.right += replies[index]?.guesses?.right ?? 0;
    }
    expect(guesses.right).toBeGreaterThan(0);
    expect(guesses.made).toBeGreaterThan(guesses.right);
  });
});
