import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EngineEvent } from '../../../../src/contract/events.ts';
import type { EngineOptions } from '../../../../src/engine/engine.ts';
import { type DraftModel, haveSameTokens, loadDraftModel } from '../../../../src/engine/native/draw/draft-model.ts';
import { loadNativeEngine } from '../../../../src/engine/native/engine.ts';
import type { LlamaModel } from '../../../../src/engine/native/llama/model.ts';
import { greedy, textRequest } from '../../../kit/generation.ts';
import { recordingLog, silentLog } from '../../../kit/log.ts';
import { writeTinyModel } from '../../../kit/models/tiny-model.ts';
import { openNativeModel } from '../../../kit/native-model.ts';

const BATCH = 32;

let folder: string;
let main: LlamaModel;
let options: EngineOptions;
let draft: DraftModel | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-draft-'));
  writeTinyModel(join(folder, 'other.gguf'), { seed: 7 });
  const files = [join(inject('modelsFolder'), 'tiny.gguf')];
  options = { files, kind: 'chat', contextLength: 512, slots: 2, threads: 1, batchSize: BATCH };
  main = await openNativeModel(options.files[0] ?? '');
  draft = await load(files[0]);
});
afterAll(async () => {
  await draft?.[Symbol.asyncDispose]();
  await main.close();
  await rm(folder, { recursive: true });
});

const load = (file = '', log = silentLog) => loadDraftModel(main, { ...options, draft: file }, 512, () => 1, log);
const tokensOf = (text: string) => main.tokenizer.tokenize(text, false);

async function reply(more: Partial<EngineOptions>, prompt: string, maxTokens = 60) {
  await using engine = await loadNativeEngine({ ...options, ...more }, 'cpu', silentLog);
  const events: EngineEvent[] = [];
  const asked = textRequest(prompt, { maxTokens, sampling: greedy, cachePrompt: false, journal: true });
  await engine.generate(asked, (event) => events.push(event), new AbortController().signal);
  const done = events.find((event) => event.kind === 'done');
  return {
    tokens: events.flatMap((event) => (event.kind === 'drawn' ? [event.token] : [])),
    guesses: done?.guesses,
  };
}

describe('a draft model', () => {
  const prompt = 'one two three';
  /** What the model writes after the prompt. */
  let written: number[];
  beforeAll(async () => {
    written = (await reply({ oneByOne: true }, prompt, 24)).tokens;
  });

  it('guesses what it would write itself', async () => {
    expect(await draft?.guess(tokensOf(prompt), 8)).toEqual(written.slice(0, 8));
  });

  it('goes on from any text: a longer one, one that took another way, and the same again', async () => {
    const textUpTo = (count: number) => [...tokensOf(prompt), ...written.slice(0, count)];
    expect(await draft?.guess(textUpTo(5), 6)).toEqual(written.slice(5, 11));
    const elsewhere = await draft?.guess([...textUpTo(3), 270], 6);
    expect(elsewhere).toHaveLength(6);
    expect(await draft?.guess(textUpTo(9), 6)).toEqual(written.slice(9, 15));
    expect(await draft?.guess(textUpTo(9), 6)).toEqual(written.slice(9, 15));
    expect(draft?.tokenMs).toBeGreaterThan(0);
  });

  it('reads a long text one batch at a call, and guesses nothing before it has read it', async () => {
    const long = tokensOf('a long text of many words '.repeat(8)).slice(0, 2 * BATCH + 5);
    expect(await draft?.guess(long, 4)).toEqual([]);
    expect(await draft?.guess(long, 4)).toEqual([]);
    expect(await draft?.guess(long, 4)).toHaveLength(4);
  });

  it('guesses nothing beyond its window', async () => {
    const full = Array.from({ length: 510 }, () => 270);
    expect(await draft?.guess(full, 4)).toEqual([]);
  });
});

describe('a file that can be no draft model', () => {
  it.each([
    ['is missing', () => join(folder, 'nowhere.gguf'), /draft model not used/],
    ['has other tokens', () => 'models/pico/pico.gguf', /its vocabulary is another one/],
  ])('is not used if it %s, and the log says so', async (_, file, reason) => {
    const lines: string[] = [];
    expect(await load(file(), recordingLog(lines))).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(reason)]);
  });

  it('may have padding at the end of its vocabulary', () => {
    const tokens = ['a', 'b', 'c'];
    expect(haveSameTokens(tokens, [...tokens, '<pad>'])).toBe(true);
    expect(haveSameTokens([...tokens, '<pad>'], tokens)).toBe(true);
    expect(haveSameTokens(tokens, ['a', 'c', 'b'])).toBe(false);
    expect(haveSameTokens(tokens, [...tokens, ...Array.from({ length: 300 }, () => '<pad>')])).toBe(false);
  });
});

describe('a reply with a draft model', () => {
  it.each([
    ['that guesses right', () => options.files[0] ?? ''],
    ['that guesses wrong', () => join(folder, 'other.gguf')],
  ])('is what it is without one %s', async (_, file) => {
    const plain = await reply({ oneByOne: true }, 'tell me');
    const guessed = await reply({ draft: file() }, 'tell me');
    expect(guessed.tokens).toEqual(plain.tokens);
    expect(guessed.guesses?.made).toBeGreaterThan(0);
  });
});
