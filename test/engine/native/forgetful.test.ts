import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { openLibrary } from '../../../src/engine/native/llama/library/library.ts';
import type { Batch } from '../../../src/engine/native/llama/library/structs.ts';
import { textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { writeHybridModel, writeWindowModel } from '../../kit/models/forgetful-model.ts';

// Models that can't go back to a shorter beginning, without copies beyond the slots: what one slot holds, others take as a whole.

const SLOTS = 4;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-forgetful-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  { kind: 'recurrent state', write: writeHybridModel },
  { kind: 'sliding window', write: writeWindowModel },
])('a model with a $kind', ({ kind, write }) => {
  let engine: TextEngine;
  /** One slot, and nothing is ever taken from its cache. */
  let plain: TextEngine;

  beforeAll(async () => {
    const file = join(folder, `${kind}.gguf`);
    write(file);
    const load = (slots: number) => {
      const options = { files: [file], kind: 'chat' as const, contextLength: 1024, slots, threads: 1, batchSize: 64 };
      return loadNativeEngine(options, 'cpu', silentLog);
    };
    engine = await load(SLOTS);
    plain = await load(1);
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await plain[Symbol.asyncDispose]();
  });

  async function run(on: TextEngine, prompt: string, more: Partial<TextRequest> = {}) {
    const texts: string[] = [];
    const request = textRequest(prompt, more);
    const events: EngineEvent[] = [];
    await on.generate(request, (event) => events.push(event), new AbortController().signal);
    for (const event of events)
      if (event.kind === 'text') texts[event.choice] = (texts[event.choice] ?? '') + event.text;
    return { texts, done: events.find((event) => event.kind === 'done') };
  }
  const plainText = async (prompt: string) => (await run(plain, prompt, { cachePrompt: false })).texts[0];
  const system = (name: string) => `${name}: ${'always be kind and brief. '.repeat(24)}`;

  it('evaluates the prompt of several choices once, and they are as one alone', async () => {
    const prompt = `${system('choices')} hello?`;
    const { texts, done } = await run(engine, prompt, { choices: 3 });
    expect(new Set(texts)).toEqual(new Set([await plainText(prompt)]));
    const evaluated = await countTokens(() => run(engine, `again, ${prompt}`, { choices: 3, cachePrompt: false }));
    const replies = 3 * 11;
    // Each of the other two evaluates the last token of the prompt for itself.
    expect(evaluated).toBeLessThanOrEqual((done?.promptTokens ?? 0) + '"again, "'.length + 2 + replies);
  });

  it('evaluates once what prompts that come together have in common', async () => {
    const prompts = Array.from({ length: SLOTS }, (_, index) => `${system('together')} question ${index}`);
    const all = await Promise.all(prompts.map((prompt) => run(engine, prompt)));
    const cached = all.map(({ done }) => done?.cachedTokens ?? 0).sort((a, b) => a - b);
    expect(cached[0]).toBe(0);
    expect(cached[1]).toBeGreaterThan((all[0]?.done?.promptTokens ?? 0) - 16);
    for (const [index, prompt] of prompts.entries()) expect(all[index]?.texts[0]).toBe(await plainText(prompt));
  });

  it('goes on with a conversation that goes on', async () => {
    const first = `${system('second turn')} hello?`;
    const { texts } = await run(engine, first);
    const second = `${first}${texts[0]} and then?`;
    const next = await run(engine, second);
    expect(next.done?.promptTokens).toBeLessThan((next.done?.cachedTokens ?? 0) + 12);
    expect(next.texts[0]).toBe(await plainText(second));
  });
});

/** Returns the number of tokens that reach llama.cpp while `work` is done. */
async function countTokens(work: () => Promise<unknown>): Promise<number> {
  const { llama } = await openLibrary(false, silentLog);
  const { llama_decode: decode } = llama;
  let tokens = 0;
  const counted = (call: typeof decode | typeof decode.async) => (context: bigint, batch: Batch) => {
    tokens += batch.n_tokens;
    return call(context, batch);
  };
  Object.assign(llama, { llama_decode: Object.assign(counted(decode), { async: counted(decode.async) }) });
  try {
    await work();
  } finally {
    Object.assign(llama, { llama_decode: decode });
  }
  return tokens;
}
