import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { SMALL_BATCH, writeHybridModel, writeWindowModel } from '../../kit/models/forgetful-model.ts';
import { repeats } from '../../support/repeats.ts';

// The tiny models give exactly the same tokens alone and in any batch, so a text that differs is a mistake of the cache.

/** How many random ones are tried of each kind of model. */
const CONVERSATIONS = repeats(6, 60);

const SLOTS = 4;
const CONTEXT = 512;

let engine: TextEngine;
/** One slot, and nothing is ever taken from its cache. */
let plain: TextEngine;

const load = (slots: number, file = join(inject('modelsFolder'), 'tiny.gguf')) =>
  loadNativeEngine(
    {
      files: [file],
      kind: 'chat',
      contextLength: CONTEXT,
      slots,
      threads: 1,
      batchSize: SMALL_BATCH,
    },
    'cpu',
    silentLog,
  );

beforeAll(async () => {
  engine = await load(SLOTS);
  plain = await load(1);
});
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
});

async function run(
  on: TextEngine,
  prompt: string,
  more: Partial<TextRequest> = {},
  signal = new AbortController().signal,
) {
  const events: EngineEvent[] = [];
  const request = textRequest(prompt, more);
  await on.generate(request, (event) => events.push(event), signal);
  const text = events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
  const done = events.find((event) => event.kind === 'done');
  return { text, done, evaluated: (done?.promptTokens ?? 0) - (done?.cachedTokens ?? 0) };
}

const known = new Map<TextEngine, Map<string, string>>();
async function plainText(prompt: string, alone = plain): Promise<string> {
  const texts = known.get(alone) ?? new Map<string, string>();
  const text = texts.get(prompt) ?? (await run(alone, prompt, { cachePrompt: false })).text;
  known.set(alone, texts.set(prompt, text));
  return text;
}

describe('prompts with the same beginning', () => {
  const system = (name: string) => `${name}: ${'always be kind and brief. '.repeat(8)}`;

  it('have it evaluated once, when they come together', async () => {
    const prompts = Array.from({ length: SLOTS }, (_, index) => `${system('together')} question ${index}`);
    const all = await Promise.all(prompts.map((prompt) => run(engine, prompt)));
    const [first, ...others] = all.map(({ evaluated }) => evaluated).sort((a, b) => b - a);
    expect(first).toBe(all[0]?.done?.promptTokens);
    expect(Math.max(...others)).toBeLessThan(8);
    for (const [index, prompt] of prompts.entries()) expect(all[index]?.text).toBe(await plainText(prompt));
  });

  it('are served when the one that evaluates it is cancelled', async () => {
    const cancel = new AbortController();
    const leader = run(engine, `${system('cancelled')} first`, {}, cancel.signal);
    const others = Array.from({ length: SLOTS - 1 }, (_, index) => `${system('cancelled')} ${index}`);
    const all = Promise.all(others.map((prompt) => run(engine, prompt)));
    await new Promise((resolve) => setImmediate(resolve));
    cancel.abort();
    expect((await leader).done).toBeUndefined();
    for (const [index, { text }] of (await all).entries()) expect(text).toBe(await plainText(others[index] ?? ''));
  });

  it('are not shared between scopes', async () => {
    const prompt = `${system('scoped')} hello`;
    const [ours, theirs] = await Promise.all(['ada', 'bob'].map((cacheScope) => run(engine, prompt, { cacheScope })));
    expect([ours?.done?.cachedTokens, theirs?.done?.cachedTokens]).toEqual([0, 0]);
    expect(theirs?.done?.cache).toMatchObject({ copied: 0, miss: { why: 'new', at: 0, before: '' } });
    expect((await run(engine, prompt, { cacheScope: 'bob' })).evaluated).toBe(1);
  });

  it('are told where the text has changed, in their own words', async () => {
    const text = 'the quick brown fox jumps over the lazy dog and runs away from it all day long. ';
    await run(engine, `${text.repeat(3)}on Monday`);
    const { done } = await run(engine, `${text.repeat(2)}THE END${text}`);
    expect(done?.cache?.miss).toMatchObject({ why: 'changed', at: expect.any(Number) });
    expect(`${text}${text}`).toContain(done?.cache?.miss?.before);
    expect(done?.cache?.miss?.after).toMatch(/^ ?THE END/);
  });
});

/** Writes no file for the model that the other tests have. */
const kinds: { kind: string; write?: (file: string) => void }[] = [
  { kind: 'all its tokens' },
  { kind: 'a recurrent state', write: writeHybridModel },
  { kind: 'a sliding window', write: writeWindowModel },
];

describe.each(kinds)('the cache of a model with $kind', ({ write }) => {
  let folder: string;
  let on: TextEngine;
  let alone: TextEngine;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paddock-shared-'));
    const file = write && join(folder, 'model.gguf');
    if (file) write(file);
    on = await load(SLOTS, file);
    alone = await load(1, file);
  });
  afterAll(async () => {
    await on[Symbol.asyncDispose]();
    await alone[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Conversations begin alike, so that they find one another's prefixes; each is edited, branched and goes on in any order. */
  const turn = fc.record({
    of: fc.nat({ max: 5 }),
    what: fc.constantFrom('goOn', 'goOn', 'edit', 'branch', 'anew'),
    words: fc.nat({ max: 30 }),
    cancelAfter: fc.option(fc.nat({ max: 3 }), { freq: 5 }),
  });
  const rounds = fc.array(fc.array(turn, { minLength: 1, maxLength: SLOTS }), { minLength: 3, maxLength: 8 });

  it(
    'never changes a text, in any order of turns, edits, branches, evictions and cancellations',
    async () => {
      await fc.assert(
        fc.asyncProperty(rounds, async (all) => {
          const conversations = ['a', 'b', 'c', 'a', 'b', 'c'].map((kind) => `${`system ${kind} says `.repeat(6)}\n`);
          for (const round of all) {
            const prompts = round.map(({ of, what, words }) => {
              const before = conversations[of] ?? '';
              const asked = `${'word '.repeat(words)}${of}? `;
              if (what === 'edit') return `${before.slice(0, before.length / 2)}${asked}`;
              if (what === 'branch') return `${conversations[(of + 1) % 6] ?? ''}${asked}`;
              return what === 'anew' ? `${before.slice(0, 60)}${asked}` : `${before}${asked}`;
            });
            const replies = await Promise.all(
              prompts.map((prompt, index) => {
                const after = round[index]?.cancelAfter ?? null;
                const signal = after === null ? new AbortController().signal : AbortSignal.timeout(after * 3);
                return run(on, prompt.slice(0, 900), {}, signal);
              }),
            );
            for (const [index, { text, done }] of replies.entries()) {
              const prompt = (prompts[index] ?? '').slice(0, 900);
              const expected = await plainText(prompt, alone);
              if (done) expect(text).toBe(expected);
              else expect(expected.startsWith(text)).toBe(true);
              conversations[round[index]?.of ?? 0] =
                prompt.length > 700 ? prompt.slice(0, 100) : `${prompt}${expected}\n`;
            }
          }
        }),
        { numRuns: CONVERSATIONS },
      );
    },
    CONVERSATIONS * 30_000,
  );
});
