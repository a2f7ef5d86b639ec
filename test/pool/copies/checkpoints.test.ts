import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/core/events.ts';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { LEAST_TOKENS } from '../../../src/engine/native/copies.ts';
import { type LeavingEngine, loadNativeEngine } from '../../../src/engine/native/engine.ts';
import type { FromCopyStore } from '../../../src/engine/node/copy-messages.ts';
import { type CopyConnection, type CopyStore, openCopyStore } from '../../../src/pool/copies/store.ts';
import { writeHybridModel, writeWindowModel } from '../../fixtures/forgetful-model.ts';
import { textRequest } from '../../support/generation.ts';
import { silentLog } from '../../support/log.ts';

// Models that can't go back to a shorter beginning. They have copies made while they evaluate a prompt, at the ends of its turns.

const MIB = 1024 ** 2;
const RAM = 4 * MIB;

describe.each([
  { kind: 'recurrent state', write: writeHybridModel },
  { kind: 'sliding window', write: writeWindowModel },
])('a model with a $kind', ({ kind, write }) => {
  let folder: string;
  let file: string;
  let store: CopyStore;
  let connection: CopyConnection;
  let engine: LeavingEngine;
  /** One slot, and nothing is ever taken from its cache. */
  let plain: TextEngine;

  const load = (slots: number, link?: Parameters<typeof loadNativeEngine>[4]) => {
    const options = { files: [file], kind: 'chat' as const, contextLength: 2048, slots, threads: 1, batchSize: 128 };
    return loadNativeEngine(options, 'cpu', silentLog, undefined, link);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paddock-checkpoints-'));
    file = join(folder, `${kind}.gguf`);
    write(file, { contextLength: 2048 });
    plain = await load(1);
  });
  afterAll(async () => {
    await plain[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    const folders = { ram: join(folder, 'ram'), disk: join(folder, 'disk') };
    store = await openCopyStore({ folders, limits: { ram: RAM, disk: 0 }, isCurrent: () => true, log: silentLog });
    let receive: (message: FromCopyStore) => void = () => {};
    engine = await load(1, {
      bytesPerToken: 64,
      send: (message) => connection.receive(message),
      listen: (listener) => {
        receive = listener;
      },
    });
    connection = store.connect('a'.repeat(32), 'forgetful', (message) => receive(message));
  });
  afterEach(async () => {
    connection.close();
    await engine[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  async function run(on: TextEngine, prompt: string, more: Partial<TextRequest> = {}) {
    const texts: string[] = [];
    const request = textRequest(prompt, { maxTokens: 80, ...more });
    const events: EngineEvent[] = [];
    await on.generate(request, (event) => events.push(event), new AbortController().signal);
    for (const event of events)
      if (event.kind === 'text') texts[event.choice] = (texts[event.choice] ?? '') + event.text;
    const done = events.find((event) => event.kind === 'done');
    const { promptTokens = 0, cachedTokens = 0, cache } = done ?? {};
    return { texts, text: texts[0] ?? '', evaluated: promptTokens - cachedTokens, cached: cachedTokens, cache };
  }
  /** What follows without any cache. */
  const plainly = (prompt: string, more?: Partial<TextRequest>) => run(plain, prompt, { cachePrompt: false, ...more });

  const turn = (role: string, text: string) => `<|im_start|>${role}\n${text}<|im_end|>\n`;
  const begun = '<|im_start|>assistant\n';
  const system = turn('system', 'always be kind and brief. '.repeat(24));
  const question = (about: string) =>
    turn('user', `why is ${about} as it is? ${'tell me all that you know of it. '.repeat(10)}`);
  // llama.cpp keeps 256 tokens of a window at least: a reply of more is needed to lose what was before it.
  const longReply = { maxTokens: 280 };
  const first = `${system}${question('the world')}${begun}`;

  it('takes up a second turn after the reasoning of the first was left out', async () => {
    await run(engine, first, longReply);
    const second = `${first}it just is.<|im_end|>\n${question('hello')}${begun}`;
    const next = await run(engine, second);
    expect(next.cache).toMatchObject({ slot: 0, ram: next.cached });
    expect(next.evaluated).toBeLessThan((await plainly(`${question('hello')}${begun}`)).evaluated + LEAST_TOKENS);
    expect(next.text).toBe((await plainly(second)).text);
  });

  it('branches a conversation at its last message, and at its first', async () => {
    const { text } = await run(engine, first);
    const until = `${first}${text}<|im_end|>\n`;
    const ask = (before: string, about: string) => `${before}${question(about)}${begun}`;
    await run(engine, ask(until, 'hello'), longReply);
    const edited = await run(engine, ask(until, 'assistant'));
    expect(edited.cache).toMatchObject({ slot: 0, ram: edited.cached });
    const alone = (await plainly(`${question('assistant')}${begun}`)).evaluated;
    expect(edited.evaluated).toBeLessThan(alone + LEAST_TOKENS);
    expect(edited.text).toBe((await plainly(ask(until, 'assistant'))).text);
    const other = await run(engine, ask(system, 'user'));
    expect(other.evaluated).toBeLessThan(alone + LEAST_TOKENS);
    expect(other.text).toBe((await plainly(ask(system, 'user'))).text);
  });

  it('answers the same prompt again', async () => {
    const { text } = await run(engine, first);
    const again = await run(engine, first);
    expect(again.evaluated).toBeLessThanOrEqual(LEAST_TOKENS);
    expect(again.text).toBe(text);
  });

  it('writes more choices than it has slots without evaluating the prompt for each', async () => {
    const { texts } = await run(engine, first, { choices: 3 });
    const { text } = await plainly(first);
    expect(texts).toEqual([text, text, text]);
  });

  it('finds a beginning that has no turns from the third time on', async () => {
    const beginning = 'these words begin many texts. '.repeat(24);
    const found: number[] = [];
    for (const end of ['hello world', 'that is it', 'you and the world']) {
      const { text, cached } = await run(engine, `${beginning}${end}`, longReply);
      expect(text).toBe((await plainly(`${beginning}${end}`, longReply)).text);
      found.push(cached);
    }
    expect(found.slice(0, 2)).toEqual([0, 0]);
    expect(found[2]).toBeGreaterThan(LEAST_TOKENS);
  });

  it('holds no more than its bound', async () => {
    let conversation = system;
    for (let count = 0; count < 6; count++) {
      const { text } = await run(engine, `${conversation}${question(String(count))}${begun}`);
      conversation += `${question(String(count))}${begun}${text}<|im_end|>\n`;
      expect(store.held().ram).toBeLessThanOrEqual(RAM);
    }
    expect(store.held().ram).toBeGreaterThan(0);
  });

  it('gives copies to no other scope', async () => {
    await run(engine, first, { cacheScope: 'ada' });
    expect((await run(engine, first, { cacheScope: 'bob' })).cached).toBe(0);
    expect((await run(engine, first, { cacheScope: 'ada' })).cached).toBeGreaterThan(0);
  });
});
