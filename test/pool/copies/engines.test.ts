import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { cachedBytesPerToken } from '../../../src/engine/memory-estimate.ts';
import { type LeavingEngine, loadNativeEngine } from '../../../src/engine/native/engine.ts';
import type { FromCopyStore } from '../../../src/engine/node/copy-messages.ts';
import { type CopyConnection, type CopyStore, openCopyStore } from '../../../src/pool/copies/store.ts';
import { eventually } from '../../kit/eventually.ts';
import { textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { SMALL_BATCH, writeHybridModel, writeWindowModel } from '../../kit/models/forgetful-model.ts';
import { tinyModelShape } from '../../kit/models/model-shape.ts';
import { writeTinyAdapter } from '../../kit/models/tiny-adapter.ts';
import { repeats } from '../../support/repeats.ts';

// The tiny models give exactly the same tokens alone and in any batch, so a text that differs is a mistake of the copies.

const SLOTS = 2;
const CONTEXT = 1024;
const MIB = 1024 ** 2;
const MODEL = 'a'.repeat(32);

/** How many random ones are tried of each kind of model. */
const CONVERSATIONS = repeats(2, 20);

const tiny = join(inject('modelsFolder'), 'tiny.gguf');
/** The file of the model. */
let file = tiny;
/** The file of a LoRA adapter for the tiny model. */
let adapter: string;
let adapterFolder: string;
let folder: string;
let store: CopyStore;
let engine: LeavingEngine;
let connection: CopyConnection;
let plain: TextEngine;

beforeAll(async () => {
  adapterFolder = await mkdtemp(join(tmpdir(), 'paddock-adapter-'));
  adapter = join(adapterFolder, 'adapter.gguf');
  writeTinyAdapter(adapter, { flips: [2, 3, 4, 5] });
  plain = await load(1);
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await rm(adapterFolder, { recursive: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-copies-'));
  store = await openStore();
  await startEngine();
});
afterEach(async () => {
  await engine[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function openStore(limits = { ram: 4 * MIB, disk: 16 * MIB }): Promise<CopyStore> {
  const folders = { ram: join(folder, 'ram'), disk: join(folder, 'disk') };
  return openCopyStore({ folders, limits, isCurrent: () => true, log: silentLog });
}

function load(slots: number, link?: Parameters<typeof loadNativeEngine>[4]) {
  const options = {
    files: [file],
    ...(file === tiny && { adapters: [{ name: 'adapter', file: adapter }] }),
    kind: 'chat' as const,
    contextLength: CONTEXT,
    slots,
    threads: 1,
    batchSize: SMALL_BATCH,
  };
  return loadNativeEngine(options, 'cpu', silentLog, undefined, link);
}

async function startEngine(): Promise<void> {
  let receive: (message: FromCopyStore) => void = () => {};
  let own: CopyConnection | undefined;
  engine = await load(SLOTS, {
    bytesPerToken: cachedBytesPerToken(tinyModelShape),
    // Never that of an engine after it.
    send: (message) => own?.receive(message),
    listen: (listener) => {
      receive = listener;
    },
  });
  own = store.connect(MODEL, 'tiny', (message) => receive(message));
  connection = own;
  await own.told;
}

/** As `kill -9` does: what has not been written is gone. */
async function killEngine(): Promise<void> {
  connection.close();
  await engine[Symbol.asyncDispose]();
  await startEngine();
}

/** As an unload does. */
async function reload(): Promise<void> {
  await engine.leave();
  await killEngine();
}

/** As a restart of the server does. */
async function restart(): Promise<void> {
  await engine.leave();
  connection.close();
  await engine[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  store = await openStore();
  await startEngine();
}

async function run(on: TextEngine, prompt: string, more: Partial<TextRequest> = {}) {
  const events: EngineEvent[] = [];
  const request = textRequest(prompt, more);
  await on.generate(request, (event) => events.push(event), new AbortController().signal);
  const text = events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
  const done = events.find((event) => event.kind === 'done');
  return { text, cache: done?.cache, evaluated: (done?.promptTokens ?? 0) - (done?.cachedTokens ?? 0) };
}

const plainText = async (prompt: string) => (await run(plain, prompt, { cachePrompt: false })).text;
const first = `${'always be kind and brief. '.repeat(16)}\nhello?`;
/** Resolves when there is one copy, and no file besides. */
async function oneCopy(): Promise<void> {
  const filesInRam = () => readdir(join(folder, 'ram', MODEL)).catch(() => []);
  const whole = expect.stringMatching(/\.copy$/);
  await eventually(async () => expect(await filesInRam()).toEqual([whole]));
}

describe('a conversation', () => {
  it('is copied a moment after its turn, so that the death of the engine loses nothing', async () => {
    const { text } = await run(engine, first);
    await oneCopy();
    await killEngine();
    const second = `${first}${text} and then?`;
    const next = await run(engine, second);
    expect(next.cache).toMatchObject({ slot: 0, disk: 0, ram: expect.any(Number) });
    expect(next.evaluated).toBeLessThan(12);
    expect(next.text).toBe(await plainText(second));
  });

  it('is warm after an unload that comes at once', async () => {
    const { text } = await run(engine, first);
    await reload();
    const next = await run(engine, `${first}${text} and then?`);
    expect(next.evaluated).toBeLessThan(12);
    expect(next.text).toBe(await plainText(`${first}${text} and then?`));
  });

  it('is warm after a restart that cut its reply off', async () => {
    const cut = new AbortController();
    const request = textRequest(first, { maxTokens: 500 });
    const ended = engine.generate(request, ({ kind }) => kind === 'text' && cut.abort(), cut.signal);
    await new Promise((resolve) => cut.signal.addEventListener('abort', resolve));
    await engine.leave();
    await ended;
    await killEngine();
    expect((await run(engine, first)).evaluated).toBe(1);
  });

  it('is warm after a restart, from disk', async () => {
    const { text } = await run(engine, first);
    await restart();
    const next = await run(engine, `${first}${text} and then?`);
    expect(next.cache).toMatchObject({ ram: 0, disk: expect.any(Number) });
    expect(next.evaluated).toBeLessThan(12);
    expect(next.text).toBe(await plainText(`${first}${text} and then?`));
  });

  it('gives only its beginning to one that differs later', async () => {
    await run(engine, first);
    await reload();
    const other = `${first.slice(0, -6)}goodbye! ${'and more. '.repeat(4)}`;
    const next = await run(engine, other);
    expect(next.cache?.ram).toBeGreaterThan(64);
    expect(next.text).toBe(await plainText(other));
  });

  it('is copied before its slot is taken by others', async () => {
    const { text } = await run(engine, first);
    for (const name of ['ada', 'bob']) await run(engine, `${name}${' says nothing new at all.'.repeat(16)}`);
    const next = await run(engine, `${first}${text} and then?`);
    expect(next.cache).toMatchObject({ slot: 0, ram: expect.any(Number) });
    expect(next.evaluated).toBeLessThan(12);
  });

  it('is not given to another scope', async () => {
    await run(engine, first, { cacheScope: 'ada' });
    await reload();
    expect((await run(engine, first, { cacheScope: 'bob' })).cache).toMatchObject({ slot: 0, ram: 0, disk: 0 });
    expect((await run(engine, first, { cacheScope: 'ada' })).evaluated).toBe(1);
  });

  it('is not given to requests with other LoRA adapters, and changes none of their texts', async () => {
    const adapted = (scale: number) => ({ lora: [{ name: 'adapter', scale }] });
    const expected = (await run(plain, first, { ...adapted(1), cachePrompt: false })).text;
    await run(engine, first);
    await reload();
    const other = await run(engine, first, adapted(1));
    expect(other.cache).toMatchObject({ slot: 0, copied: 0, ram: 0, disk: 0 });
    expect(other.text).toBe(expected);
    await restart();
    const again = await run(engine, first, adapted(1));
    expect(again.cache).toMatchObject({ slot: 0, disk: expect.any(Number) });
    expect([again.evaluated, again.text]).toEqual([1, expected]);
    expect((await run(engine, first, adapted(2))).cache).toMatchObject({ slot: 0, copied: 0, ram: 0, disk: 0 });
    const without = await run(engine, first);
    expect([without.evaluated, without.text]).toEqual([1, await plainText(first)]);
  });

  it('is evaluated anew where its copy is damaged', async () => {
    const { text } = await run(engine, first);
    await restart();
    for (const file of await readdir(join(folder, 'disk', MODEL)))
      await appendFile(join(folder, 'disk', MODEL, file), '!');
    const next = await run(engine, `${first}${text} and then?`);
    expect(next.cache).toMatchObject({ slot: 0, ram: 0, disk: 0 });
    expect(next.text).toBe(await plainText(`${first}${text} and then?`));
  });

  it('is not copied any more by an engine that is gone', async () => {
    const said = vi.spyOn(connection, 'receive');
    await run(engine, first);
    await killEngine();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(said).not.toHaveBeenCalled();
  });

  it('has one copy, of its latest turn', async () => {
    let prompt = first;
    for (let turn = 0; turn < 4; turn++) {
      const { text } = await run(engine, prompt);
      await engine.leave();
      await oneCopy();
      prompt = `${prompt}${text}${' and what comes after that?'.repeat(12)}`;
    }
  });
});

describe('copies of a model that can go back', () => {
  it(
    'never change a text, in any order of turns, edits, branches, deaths, unloads and restarts',
    converse,
    CONVERSATIONS * 120_000,
  );
});

describe.each([
  { kind: 'a recurrent state', write: writeHybridModel },
  { kind: 'a sliding window', write: writeWindowModel },
])('copies of a model with $kind', ({ write }) => {
  let others: { file: string; plain: TextEngine };
  let models: string;
  beforeAll(async () => {
    models = await mkdtemp(join(tmpdir(), 'paddock-forgetful-'));
    others = { file, plain };
    file = join(models, 'model.gguf');
    write(file);
    plain = await load(1);
  });
  afterAll(async () => {
    await plain[Symbol.asyncDispose]();
    await rm(models, { recursive: true });
    ({ file, plain } = others);
  });

  it('never change a text either', converse, CONVERSATIONS * 120_000);
});

/** Has random conversations, and checks their texts. */
async function converse(): Promise<void> {
  const happenings = {
    nothing: async () => {},
    wait: () => new Promise((resolve) => setTimeout(resolve, 700)),
    kill: killEngine,
    reload,
    restart,
  };
  interface Turn {
    of: number;
    what: 'goOn' | 'edit' | 'branch';
    words: number;
    after: keyof typeof happenings;
  }
  const turn: fc.Arbitrary<Turn> = fc.record({
    of: fc.nat({ max: 3 }),
    what: fc.constantFrom('goOn', 'goOn', 'edit', 'branch'),
    words: fc.integer({ min: 1, max: 60 }),
    after: fc.constantFrom('nothing', 'nothing', 'wait', 'kill', 'reload', 'restart'),
  });

  /** One that is sure to find copies in RAM and on disk. */
  const warm = (['reload', 'restart', 'nothing'] as const).map(
    (after): Turn => ({ of: 0, what: 'goOn', words: 30, after }),
  );
  const taken = { ram: 0, disk: 0 };
  const promptOf = (conversations: string[], { of, what, words }: Turn) => {
    const own = conversations[of] ?? '';
    const other = conversations[(of + 1) % 4] ?? '';
    const before = { goOn: own, edit: own.slice(0, own.length / 2), branch: other }[what];
    return `${before}${'word '.repeat(words)}${of}? `.slice(0, 1800);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 4, maxLength: 8 }), async (turns) => {
      const conversations = ['a', 'b', 'a', 'b'].map((kind) => `${`system ${kind} says so. `.repeat(16)}<|im_end|>\n`);
      for (const each of turns) {
        const prompt = promptOf(conversations, each);
        const { text, cache } = await run(engine, prompt);
        expect(text).toBe(await plainText(prompt));
        taken.ram += cache?.ram ?? 0;
        taken.disk += cache?.disk ?? 0;
        conversations[each.of] = prompt.length > 1500 ? prompt.slice(0, 400) : `${prompt}${text}<|im_end|>\n`;
        await happenings[each.after]();
        const held = store.held();
        expect(held.ram).toBeLessThanOrEqual(4 * MIB);
        expect(held.disk).toBeLessThanOrEqual(16 * MIB);
      }
    }),
    { numRuns: CONVERSATIONS, examples: [[warm]] },
  );
  expect(taken.ram).toBeGreaterThan(0);
  expect(taken.disk).toBeGreaterThan(0);
}
