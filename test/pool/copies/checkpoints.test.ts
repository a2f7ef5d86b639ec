import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { type LeavingEngine, loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { LEAST_TOKENS } from '../../../src/engine/native/prefix/copies.ts';
import type { FromCopyStore } from '../../../src/engine/node/copy-messages.ts';
import { type CopyConnection, type CopyStore, openCopyStore } from '../../../src/pool/copies/store.ts';
import { textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { SMALL_BATCH, writeHybridModel, writeWindowModel } from '../../kit/models/forgetful-model.ts';
import { repeats } from '../../support/repeats.ts';

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
    const options = {
      files: [file],
      kind: 'chat' as const,
      contextLength: 2048,
      slots,
      threads: 1,
      batchSize: SMALL_BATCH,
    };
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
    await start(1);
  });
  afterEach(async () => {
    await stop();
    await store[Symbol.asyncDispose]();
  });

  async function start(slots: number): Promise<void> {
    let receive: (message: FromCopyStore) => void = () => {};
    let own: CopyConnection | undefined;
    engine = await load(slots, {
      bytesPerToken: 64,
      // Never that of an engine after it.
      send: (message) => own?.receive(message),
      listen: (listener) => {
        receive = listener;
      },
    });
    own = store.connect('a'.repeat(32), 'forgetful', (message) => receive(message));
    connection = own;
    await own.told;
  }

  async function stop(): Promise<void> {
    connection.close();
    await engine[Symbol.asyncDispose]();
  }

  async function run(
    on: TextEngine,
    prompt: string,
    more: Partial<TextRequest> = {},
    signal = new AbortController().signal,
  ) {
    const texts: string[] = [];
    const request = textRequest(prompt, { maxTokens: 24, ...more });
    const events: EngineEvent[] = [];
    await on.generate(request, (event) => events.push(event), signal);
    for (const event of events)
      if (event.kind === 'text') texts[event.choice] = (texts[event.choice] ?? '') + event.text;
    const done = events.find((event) => event.kind === 'done');
    const { promptTokens = 0, cachedTokens = 0, cache } = done ?? {};
    return { texts, done, text: texts[0] ?? '', evaluated: promptTokens - cachedTokens, cached: cachedTokens, cache };
  }
  /** What follows without any cache. */
  const plainly = (prompt: string, more?: Partial<TextRequest>) => run(plain, prompt, { cachePrompt: false, ...more });

  const turn = (role: string, text: string) => `<|im_start|>${role}\n${text}<|im_end|>\n`;
  const begun = '<|im_start|>assistant\n';
  const system = turn('system', 'always be kind and brief. '.repeat(16));
  const question = (about: string) =>
    turn('user', `why is ${about} as it is? ${'tell me all that you know of it. '.repeat(6)}`);
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
    const about = (before: string, what: string) => `${before}${question(what)}${begun}`;
    await run(engine, about(until, 'hello'), longReply);
    const edited = await run(engine, about(until, 'assistant'));
    expect(edited.cache).toMatchObject({ slot: 0, ram: edited.cached });
    const alone = (await plainly(`${question('assistant')}${begun}`)).evaluated;
    expect(edited.evaluated).toBeLessThan(alone + LEAST_TOKENS);
    expect(edited.text).toBe((await plainly(about(until, 'assistant'))).text);
    const other = await run(engine, about(system, 'user'));
    expect(other.evaluated).toBeLessThan(alone + LEAST_TOKENS);
    expect(other.text).toBe((await plainly(about(system, 'user'))).text);
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
      const { text: start } = await plainly(`${beginning}${end}`);
      expect(text.slice(0, start.length)).toBe(start);
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

  interface Turn {
    of: number;
    what: 'goOn' | 'edit' | 'branch';
    words: number;
    choices: number;
    cancelAfter: number | null;
  }
  /** Turns that come together. Each continues a conversation, edits it in the middle or branches at its system prompt. */
  const turns: fc.Arbitrary<Turn[]> = fc.array(
    fc.record({
      of: fc.nat({ max: 3 }),
      what: fc.constantFrom('goOn', 'edit', 'branch'),
      words: fc.integer({ min: 1, max: 90 }),
      choices: fc.constantFrom(1, 1, 2),
      cancelAfter: fc.option(fc.nat({ max: 20 }), { freq: 5 }),
    }),
    { minLength: 1, maxLength: 2 },
  );
  const maxTokens = 30;
  const known = new Map<string, string>();
  let asking: Promise<unknown> = Promise.resolve();
  /** The plain engine has one slot: it takes one prompt after the other. */
  const expectedOf = (prompt: string): Promise<string> => {
    const found = asking.then(async () => known.get(prompt) ?? (await plainly(prompt, { maxTokens })).text);
    asking = found.then((text) => known.set(prompt, text));
    return found;
  };
  /** A conversation is the list of what was said, the system prompt first. */
  const ask = (said: string[], { what, words }: Turn, index: number): string[] => {
    const [system = ''] = said;
    const before = { goOn: said, edit: said.slice(0, Math.ceil(said.length / 2)), branch: [system] }[what];
    return [...before, turn('user', `${index}${' word'.repeat(words)}`)];
  };
  /** Asks, checks the replies, and returns what was said then. */
  const take = async (asked: string[], { choices, cancelAfter }: Turn): Promise<string[]> => {
    const prompt = `${asked.join('')}${begun}`;
    const signal = cancelAfter === null ? undefined : AbortSignal.timeout(cancelAfter);
    const { texts, done } = await run(engine, prompt, { choices, maxTokens }, signal);
    const expected = await expectedOf(prompt);
    if (done) expect(new Set(texts)).toEqual(new Set([expected]));
    for (const text of texts) expect(expected.startsWith(text ?? '')).toBe(true);
    const said = [...asked, `${begun}${expected}<|im_end|>\n`];
    return said.join('').length > 1400 ? said.slice(0, 1) : said;
  };

  it('never changes a text, whatever runs together, has several choices or is cancelled', async () => {
    await stop();
    await start(3);
    await fc.assert(
      fc.asyncProperty(fc.array(turns, { minLength: 4, maxLength: 6 }), async (rounds) => {
        const conversations = ['kind', 'brief', 'kind', 'brief'].map((how) => [
          turn('system', `always be ${how}. `.repeat(20)),
        ]);
        for (const round of rounds) {
          const asked = round.map((each, index) => ask(conversations[each.of] ?? [], each, index));
          const said = await Promise.all(round.map((each, index) => take(asked[index] ?? [], each)));
          for (const [index, { of }] of round.entries()) conversations[of] = said[index] ?? [];
        }
      }),
      { numRuns: repeats(1, 20) },
    );
  }, 600_000);

  it('gives copies to no other scope', async () => {
    await run(engine, first, { cacheScope: 'ada' });
    expect((await run(engine, first, { cacheScope: 'bob' })).cached).toBe(0);
    expect((await run(engine, first, { cacheScope: 'ada' })).cached).toBeGreaterThan(0);
  });
});
