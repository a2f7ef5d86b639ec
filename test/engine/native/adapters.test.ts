import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import type { AppliedAdapter } from '../../../src/contract/generation-request.ts';
import type { AdapterSource, TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { text } from '../../kit/models/gguf-writer.ts';
import { writeTinyAdapter } from '../../kit/models/tiny-adapter.ts';
import { repeats } from '../../support/repeats.ts';

// The tiny model gives exactly the same tokens alone and in any batch, also with these adapters at a scale of 1. They change the values
// in the KV cache, so a text differs if any token before it was evaluated with other adapters.

const SLOTS = 4;
const CONTEXT = 1024;
const CONVERSATIONS = repeats(6, 60);

/** The sets of adapters of the requests. */
const SETS = {
  none: [],
  a: [{ name: 'a', scale: 1 }],
  b: [{ name: 'b', scale: 1 }],
  both: [
    { name: 'a', scale: 1 },
    { name: 'b', scale: 1 },
  ],
} satisfies Record<string, AppliedAdapter[]>;
type SetName = keyof typeof SETS;
const NAMES = Object.keys(SETS) as SetName[];

let folder: string;
let engine: TextEngine;
/** One slot, and nothing is ever taken from its cache. */
let plain: TextEngine;

const file = (name: string) => join(folder, `${name}.gguf`);
const load = (slots: number, adapters: AdapterSource[]) =>
  loadNativeEngine(
    {
      files: [join(inject('modelsFolder'), 'tiny.gguf')],
      adapters,
      kind: 'chat',
      contextLength: CONTEXT,
      slots,
      threads: 1,
      batchSize: 64,
    },
    'cpu',
    silentLog,
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-adapters-'));
  writeTinyAdapter(file('a'), { flips: [2, 3, 4, 5] });
  writeTinyAdapter(file('b'), { flips: [6, 7, 8] });
  const adapters = ['a', 'b'].map((name) => ({ name, file: file(name) }));
  engine = await load(SLOTS, adapters);
  plain = await load(1, adapters);
});
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function run(on: TextEngine, prompt: string, lora: AppliedAdapter[], more: Partial<TextRequest> = {}) {
  const events: EngineEvent[] = [];
  const request = textRequest(prompt, { ...(lora.length > 0 && { lora }), ...more });
  await on.generate(request, (event) => events.push(event), new AbortController().signal);
  const text = events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
  const cached = events.find((event) => event.kind === 'done')?.cachedTokens ?? -1;
  return { text, cached };
}

const plainText = async (prompt: string, set: SetName, more: Partial<TextRequest> = {}) =>
  (await run(plain, prompt, SETS[set], { cachePrompt: false, ...more })).text;

const PROMPT = 'tell me a story of some length, please: ';

describe('a LoRA adapter', () => {
  it('changes the text, each by itself and both together', async () => {
    const texts = [];
    for (const set of NAMES) texts.push(await plainText(PROMPT, set));
    expect(new Set(texts).size).toBe(NAMES.length);
  });

  it('changes nothing with a scale of 0, or one that is 0 as a 32-bit float', async () => {
    const { text } = await run(engine, PROMPT, []);
    for (const scale of [0, 1e-60]) {
      const reply = await run(engine, PROMPT, [{ name: 'a', scale }]);
      expect(reply.text).toBe(text);
      // The prefix of the request without adapters is its own as well.
      expect(reply.cached).toBeGreaterThan(0);
    }
    expect(text).toBe(await plainText(PROMPT, 'none'));
  });

  it('changes more or less with another scale', async () => {
    const texts = [];
    for (const scale of [-1, 0.5, 1, 3]) texts.push((await run(engine, PROMPT, [{ name: 'a', scale }])).text);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('has the scale of its alpha and rank', async () => {
    writeTinyAdapter(file('half'), { flips: [2, 3, 4, 5], alpha: 2 });
    await using half = await load(1, [{ name: 'half', file: file('half') }]);
    expect((await run(half, PROMPT, [{ name: 'half', scale: 2 }])).text).toBe(await plainText(PROMPT, 'a'));
  });

  it('that is not loaded is a 400', async () => {
    const refused = expect.objectContaining({
      data: expect.objectContaining({ status: 400, code: 'unknown_lora', param: 'lora' }),
    });
    await expect(run(engine, PROMPT, [{ name: 'c', scale: 1 }])).rejects.toEqual(refused);
    expect((await run(engine, PROMPT, [])).text).toBe(await plainText(PROMPT, 'none'));
  });

  it('guides each token of a whole reply, also when the context grows', { timeout: 120_000 }, async () => {
    const more = { maxTokens: 260 };
    const grown = await Promise.all(NAMES.map((set) => run(engine, PROMPT, SETS[set], more)));
    for (const [index, set] of NAMES.entries()) expect(grown[index]?.text).toBe(await plainText(PROMPT, set, more));
  });
});

describe('requests with different adapters', () => {
  it('get at once the texts that they get alone', async () => {
    const prompts = NAMES.map((set) => `${PROMPT}${'and so on. '.repeat(set.length * 3)}`);
    const together = await Promise.all(NAMES.map((set, index) => run(engine, prompts[index] ?? '', SETS[set])));
    for (const [index, set] of NAMES.entries()) {
      expect(together[index]?.text).toBe(await plainText(prompts[index] ?? '', set));
    }
  });

  it('never share the prefix that they have in common, while requests with the same adapters do', async () => {
    const prompt = `1. a prompt of this test alone. ${'it goes on for a while. '.repeat(10)}`;
    const cached = [];
    for (const set of ['a', 'none', 'b', 'both', 'a', 'none', 'b', 'both'] as const) {
      const reply = await run(engine, prompt, SETS[set]);
      cached.push(reply.cached > 16);
      expect(reply.text).toBe(await plainText(prompt, set));
    }
    expect(cached).toEqual([false, false, false, false, true, true, true, true]);
  });

  it('never share it at once either, nor with the same name of a conversation', async () => {
    const prompt = `2. a prompt of this test alone. ${'it goes on for a while. '.repeat(10)}`;
    const sets = ['a', 'b', 'a', 'none'] as const;
    const replies = await Promise.all(sets.map((set) => run(engine, prompt, SETS[set], { cacheKey: 'one name' })));
    for (const [index, set] of sets.entries()) expect(replies[index]?.text).toBe(await plainText(prompt, set));
    // The second request with 'a' waits for the first one or not, by the measured costs; the others share nothing.
    expect(replies.filter(({ cached }) => cached > 16).length).toBeLessThanOrEqual(1);
  });

  it('have all choices of a request with its adapters', async () => {
    const texts = async (on: TextEngine) => {
      const said = new Map<number, string>();
      const request = textRequest(PROMPT, {
        choices: 3,
        lora: SETS.a,
        sampling: { ...textRequest('').sampling, temperature: 1, topK: 40 },
      });
      const note = (event: EngineEvent) => {
        if (event.kind === 'text') said.set(event.choice, (said.get(event.choice) ?? '') + event.text);
      };
      await on.generate(request, note, new AbortController().signal);
      return said;
    };
    const [several] = await Promise.all([texts(engine), run(engine, PROMPT, SETS.b)]);
    expect(several).toEqual(await texts(plain));
  });

  it(
    'get the texts that they get alone, in any order of turns, edits and branches',
    async () => {
      const turn = fc.record({
        of: fc.nat({ max: 2 }),
        set: fc.constantFrom(...NAMES),
        what: fc.constantFrom('goOn', 'edit', 'branch'),
        words: fc.integer({ min: 1, max: 30 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(turn, { minLength: 1, maxLength: SLOTS }), { maxLength: 5 }),
          async (steps) => {
            const conversations = ['a', 'b', 'c'].map((name) => `${name} ${'begins like this. '.repeat(4)}`);
            for (const turns of steps) {
              const prompts = turns.map(({ of, what, words }) => {
                const own = conversations[of] ?? '';
                const other = conversations[(of + 1) % 3] ?? '';
                const before = { goOn: own, edit: own.slice(0, own.length / 2), branch: other }[what];
                return `${before}${'word '.repeat(words)}? `.slice(0, 900);
              });
              const replies = await Promise.all(
                turns.map(({ set }, index) => run(engine, prompts[index] ?? '', SETS[set])),
              );
              for (const [index, { of, set }] of turns.entries()) {
                expect(replies[index]?.text).toBe(await plainText(prompts[index] ?? '', set));
                conversations[of] = `${prompts[index]}${replies[index]?.text}`;
              }
            }
          },
        ),
        { numRuns: CONVERSATIONS },
      );
    },
    CONVERSATIONS * 60_000,
  );
});

describe('an adapter that does not fit the model', () => {
  it.each([
    ['of another architecture', { entries: { 'general.architecture': text('llama') } }, /arch mismatch/],
    ['for a block that the model lacks', { block: 7 }, /'blk\.7\.attn_v\.weight' does not exist in base model/],
    ['of another type', { entries: { 'adapter.type': text('other') } }, /expect adapter\.type to be 'lora'/],
    ['that is a model', { entries: { 'general.type': text('model') } }, /expect general\.type to be 'adapter'/],
  ])('%s fails the load, with the reason', async (_, more, reason) => {
    writeTinyAdapter(file('wrong'), { flips: [2], ...more });
    const loading = load(1, [{ name: 'wrong', file: file('wrong') }]);
    await expect(loading).rejects.toThrow(/could not load the LoRA adapter 'wrong': /);
    await expect(loading).rejects.toThrow(reason);
  });

  it('fails the load if its file is gone', async () => {
    await expect(load(1, [{ name: 'gone', file: file('gone') }])).rejects.toThrow(/'gone': .*failed to open/);
  });
});
