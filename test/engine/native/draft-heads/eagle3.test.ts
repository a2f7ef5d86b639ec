import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineEvent, Guesses } from '../../../../src/contract/events.ts';
import type { Sampling } from '../../../../src/contract/sampling.ts';
import type { EngineOptions, TextEngine, TextRequest } from '../../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../../src/engine/native/engine.ts';
import { greedy, narrow, textRequest } from '../../../kit/generation.ts';
import { recordingLog, silentLog } from '../../../kit/log.ts';
import { writeEagle3Draft, writeEagle3Target } from '../../../kit/models/draft-heads/eagle3-model.ts';
import { writeRecurrentMtpModel } from '../../../kit/models/draft-heads/recurrent-mtp-model.ts';
import { texts } from '../../../kit/models/gguf-writer.ts';
import { makeVocabulary } from '../../../kit/models/vocabulary.ts';
import { until } from '../../../kit/until.ts';
import { writeChoices, writeReply } from '../../../kit/written-reply.ts';

const SLOTS = 4;
const BATCH = 48;
const SEEDED: Sampling = { ...narrow, temperature: 0.4, topK: 40, seed: 5 };
const LONG = 'a long text of some words, '.repeat(9);
const PROMPTS = ['one two three', 'a b a b a b a b', 'Quote this: some words and some other words.', LONG];

/** The draft models of the tests, with the options of the files. */
const DRAFTS = {
  right: {},
  wrong: { guessSeed: 9 },
  embedded: { lacks: 'token_embd.weight' },
  headless: { lacks: 'output.weight' },
  brief: { vocabulary: [...makeVocabulary().tokens.keys()].slice(20) },
} as const;
type Draft = keyof typeof DRAFTS;
const BORROWING: Draft[] = ['embedded', 'headless'];
const GUESSING: Draft[] = ['right', 'embedded', 'headless', 'brief'];

let folder: string;
let plain: TextEngine;
const engines = new Map<Draft, TextEngine>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-eagle3-engine-'));
  writeEagle3Target(join(folder, 'target.gguf'));
  plain = await load(undefined, { oneByOne: true });
  for (const [name, options] of Object.entries(DRAFTS)) {
    writeEagle3Draft(join(folder, `${name}.gguf`), options);
    engines.set(name as Draft, await load(name as Draft));
  }
});
afterAll(async () => {
  for (const engine of [plain, ...engines.values()]) await engine[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function load(draft: Draft | undefined, more: Partial<EngineOptions> = {}, log = silentLog): Promise<TextEngine> {
  const eagle3 = draft && { file: join(folder, `${draft}.gguf`), borrows: BORROWING.includes(draft) };
  const options = { files: [join(folder, 'target.gguf')], kind: 'chat' as const, contextLength: 512, slots: SLOTS };
  return loadNativeEngine({ ...options, threads: 1, batchSize: BATCH, ...(eagle3 && { eagle3 }), ...more }, 'cpu', log);
}

function engineOf(draft: Draft): TextEngine {
  const engine = engines.get(draft);
  if (!engine) throw new Error(`there is no engine with the draft model ${draft}`);
  return engine;
}

function say(engine: TextEngine, prompt: string, more: Partial<TextRequest> = {}) {
  return writeReply(
    engine,
    textRequest(prompt, { maxTokens: 30, journal: true, sampling: greedy, cachePrompt: false, ...more }),
  );
}

const plainly = async (prompt: string, more: Partial<TextRequest> = {}) => (await say(plain, prompt, more)).tokens;

describe('a reply of a model with an EAGLE-3 draft model', () => {
  /** The guesses of the replies below. Whether a single reply has some depends on the times of its passes. */
  const guesses = new Map<Draft, Guesses>();

  it.each<[string, Draft[], Partial<TextRequest>]>([
    ['greedy', ['right', 'wrong', 'embedded', 'headless', 'brief'], {}],
    ['seeded', ['right', 'wrong', 'brief'], { sampling: SEEDED }],
    ['with a grammar', ['right', 'wrong'], { grammar: 'root ::= ("abc " | "abd ")+' }],
    ['up to its last token', ['right'], { maxTokens: 23 }],
  ])('is what it is without it, %s', async (_, drafts, more) => {
    for (const prompt of PROMPTS) {
      const wanted = await say(plain, prompt, more);
      for (const draft of drafts) {
        const reply = await say(engineOf(draft), prompt, more);
        expect(reply.tokens).toEqual(wanted.tokens);
        expect(reply.text).toBe(wanted.text);
        const { made = 0, right = 0 } = guesses.get(draft) ?? {};
        guesses.set(draft, { made: made + reply.guesses.made, right: right + reply.guesses.right });
      }
    }
  });

  /** Writes more replies until some guesses are such. */
  const untilGuessed = (draft: Draft, isSuch: (guesses: Guesses) => boolean) =>
    until(async () => {
      const before = guesses.get(draft);
      return (before && isSuch(before)) || isSuch((await say(engineOf(draft), PROMPTS[0] ?? '')).guesses);
    });

  it.each(GUESSING)('has right guesses: %s', (draft) => untilGuessed(draft, ({ right }) => right > 0));

  it('has wrong guesses, where they are wrong', () => untilGuessed('wrong', ({ made, right }) => made > right));
});

describe('replies of a model with an EAGLE-3 draft model', () => {
  it.each<[string, Partial<TextRequest>]>([
    ['greedy', {}],
    ['seeded', { sampling: SEEDED }],
  ])('are what they are without it, beside one another, %s', async (_, more) => {
    for (const draft of ['right', 'wrong', 'embedded'] as const) {
      const replies = await Promise.all(PROMPTS.map((prompt) => say(engineOf(draft), prompt, more)));
      for (const [index, prompt] of PROMPTS.entries())
        expect(replies[index]?.tokens).toEqual(await plainly(prompt, more));
    }
  });

  it('are the same once one is alone that began beside others', async () => {
    const [long] = await Promise.all([
      say(engineOf('right'), PROMPTS[0] ?? '', { maxTokens: 90 }),
      say(engineOf('right'), PROMPTS[1] ?? '', { maxTokens: 20 }),
    ]);
    expect(long.tokens).toEqual(await plainly(PROMPTS[0] ?? '', { maxTokens: 90 }));
  });

  it('go on from common beginnings, from earlier turns, and from the midst of them', async () => {
    const system = 'be kind and brief. '.repeat(8);
    const asked = { cachePrompt: true, maxTokens: 24 };
    const together = await Promise.all(
      [1, 2, 3].map((index) => say(engineOf('right'), `${system} Question ${index}`, asked)),
    );
    for (const [index, first] of together.entries()) {
      const begun = `${system} Question ${index + 1}`;
      expect(first.tokens).toEqual(await plainly(begun, { maxTokens: 24 }));
      for (const turn of [`${begun}${first.text} And then?`, `${begun}${first.text.slice(0, 9)}, or else?`]) {
        const next = await say(engineOf('right'), turn, asked);
        expect(next.cached).toBeGreaterThan(80);
        expect(next.tokens).toEqual(await plainly(turn, { maxTokens: 24 }));
      }
    }
  });

  it('are all choices of a request', async () => {
    const request = textRequest('one two', { choices: 3, maxTokens: 30, journal: true, sampling: SEEDED });
    expect(await writeChoices(engineOf('right'), request)).toEqual(await writeChoices(plain, request));
  });

  it('are the same after others were cancelled in the midst of a guess', async () => {
    for (const most of [1, 3, 9]) {
      const controller = new AbortController();
      let count = 0;
      const stop = (event: EngineEvent) => {
        if (event.kind === 'drawn' && ++count === most) controller.abort();
      };
      const asked = textRequest('one two three', { maxTokens: 40, journal: true, sampling: greedy, cachePrompt: true });
      await engineOf('right').generate(asked, stop, controller.signal);
      const whole = await say(engineOf('right'), 'one two three', { cachePrompt: true });
      expect(whole.tokens).toEqual(await plainly('one two three'));
    }
  });

  it('are as long as the window, while the contexts of both models grow', async () => {
    const wanted = await plainly('to the end', { maxTokens: null });
    expect(wanted.length).toBeGreaterThan(400);
    const lines: string[] = [];
    await using engine = await load('headless', { slots: 1, batchSize: 16, contextLength: 512 }, recordingLog(lines));
    expect((await say(engine, 'to the end', { maxTokens: null })).tokens).toEqual(wanted);
    const grown = lines.filter((line) => line.includes('slots have more room'));
    expect(grown.filter((line) => line.includes('draft model'))).not.toEqual([]);
    expect(grown.filter((line) => !line.includes('draft model'))).not.toEqual([]);
  });

  it('are the same in caches of their own', async () => {
    await using engine = await load('right', { flashAttention: false });
    const replies = await Promise.all(PROMPTS.map((prompt) => say(engine, prompt)));
    for (const [index, prompt] of PROMPTS.entries()) {
      expect(replies[index]?.tokens).toEqual(await plainly(prompt));
      expect((await say(engine, prompt)).tokens).toEqual(await plainly(prompt));
    }
  });
});

describe('a model with a recurrent state and an EAGLE-3 draft model of another width', () => {
  it('has the same replies as without it', async () => {
    writeRecurrentMtpModel(join(folder, 'recurrent.gguf'));
    const file = join(folder, 'wide.gguf');
    writeEagle3Draft(file, { targetLayers: [0, 2, 4], targetWidth: 64 });
    const options = { files: [join(folder, 'recurrent.gguf')], states: 7 };
    await using guessing = await load(undefined, { ...options, eagle3: { file, borrows: false } });
    await using without = await load(undefined, { ...options, oneByOne: true });
    let made = 0;
    for (const prompt of PROMPTS) {
      const reply = await say(guessing, prompt, { sampling: narrow });
      expect(reply.tokens).toEqual((await say(without, prompt, { sampling: narrow })).tokens);
      made += reply.guesses.made;
    }
    expect(made).toBeGreaterThan(0);
  });
});

describe('what became of an EAGLE-3 draft model', () => {
  const draftOf = (name: string) => ({ eagle3: { file: join(folder, name), borrows: false } });
  const linesOf = async (draft: Draft, more: Partial<EngineOptions> = {}) => {
    const lines: string[] = [];
    await using engine = await load(draft, more, recordingLog(lines));
    expect((await say(engine, 'one two')).tokens).toHaveLength(30);
    return lines.filter((line) => line.includes('draft model '));
  };

  it('is logged', async () => {
    expect(await linesOf('embedded')).toEqual([expect.stringMatching(/draft model loaded.*embedded\.gguf/)]);
  });

  it.each<[string, () => Partial<EngineOptions>, RegExp]>([
    ['where each token is drawn by itself', () => ({ oneByOne: true }), /every token is drawn by itself/],
    ['where the file is missing', () => draftOf('nowhere.gguf'), /llama\.cpp could not load it/],
    ['where nobody lends it the weights that it lacks', () => draftOf('embedded.gguf'), /could not make a context/],
    ['where its vocabulary is another one', () => draftOf('foreign.gguf'), /its vocabulary is another one/],
  ])('is logged with the reason, %s', async (_, more, reason) => {
    const tokens = makeVocabulary().tokens.map((token, index) => (index === 300 ? 'another' : token));
    writeEagle3Draft(join(folder, 'foreign.gguf'), { entries: { 'tokenizer.ggml.tokens': texts(tokens) } });
    const lines = await linesOf('right', more());
    expect(lines).toEqual([expect.stringMatching(/draft model not used/)]);
    expect(lines).toEqual([expect.stringMatching(reason)]);
  });
});
