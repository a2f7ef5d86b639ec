import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPool } from '../../dist/src/pool/pool.js';
import type { GenerationEvent } from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import type { Runner } from '../../src/contract/runner.ts';
import { once } from '../../src/utils/once.ts';
import { ask, call, doneOf, greedy, textOf } from '../kit/generation.ts';
import { recordingLog } from '../kit/log.ts';
import { tinyModelShape } from '../kit/models/model-shape.ts';
import { writeTinyAdapter } from '../kit/models/tiny-adapter.ts';
import { enginePids, killEngines } from '../kit/servers/engines.ts';

const GIB = 2 ** 30;
const SLOTS = 4;
let pool: (Runner & AsyncDisposable) | undefined;
let lines: string[] = [];
/** A folder for files that change, and the file of such a model. */
const folder = mkdtempSync(join(tmpdir(), 'paddock-takeover-'));
const changing = join(folder, 'changing.gguf');
const adapter = join(folder, 'adapter.gguf');
beforeAll(() => writeTinyAdapter(adapter, { flips: [2, 3, 4, 5] }));
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens the pool of one test. */
function open(backend: 'cpu' | 'wasm' = 'cpu'): Runner {
  lines = [];
  pool = openPool(backend, backend === 'wasm' ? 1 : SLOTS);
  return pool;
}

function openPool(backend: 'cpu' | 'wasm', slots: number): Runner & AsyncDisposable {
  return createPool({
    backend,
    // Sums are rounded otherwise where other conversations share the cache: over many tokens, one may be drawn differently.
    engine: { contextLength: null, slots, threads: 1, batchSize: 64, oneByOne: true },
    maxWaiting: 8,
    maxLoadedModels: 1,
    idleTimeoutMs: null,
    sourceOf: (id) => ({
      kind: 'chat',
      files: [id === 'changing' ? changing : join(inject('modelsFolder'), `${id}.gguf`)],
      ...(backend === 'cpu' && { adapters: [{ name: 'adapter', file: adapter }] }),
      shape: { ...tinyModelShape, fileBytes: 2_700_000 },
    }),
    memory: () => ({ available: 4 * GIB, held: 0 }),
    log: recordingLog(lines),
  });
}

afterEach(async () => {
  await pool?.[Symbol.asyncDispose]();
  pool = undefined;
});

/** Runs a generation; `onText` is told of each text as it comes. */
async function run(
  runner: Runner,
  request: GenerationRequest,
  onText: (count: number) => void = () => {},
  model = 'tiny',
) {
  const events: GenerationEvent[] = [];
  let texts = 0;
  for await (const event of runner.generate(model, request, call())) {
    events.push(event);
    if (event.kind === 'text') onText(++texts);
  }
  return events;
}

const isPause = ({ kind }: GenerationEvent) => kind === 'pause';
const idle = (runner: Runner) => runner.loaded().every(({ busy }) => busy === 0);

const sampled = { ...greedy, temperature: 0.9, topK: 40, topP: 0.95, seed: 11 };

const SEVERAL = 'several choices';
/** The slots that it takes beside its first. */
const MORE_CHOICES = 2;
/** A generation has begun, and is far from its end, when it has told so many texts. */
const KILLED_AT = 20;
const ADAPTED = 'with a LoRA adapter';

/** All are long: those with an adapter take turns with the others, and get on faster, as there are fewer of them. */
const CASES: [string, GenerationRequest][] = [
  ['sampled with a seed', ask('Tell me a story.', { maxTokens: 400, sampling: sampled })],
  ['with a repeat penalty', ask('Tell me a story.', { maxTokens: 400, sampling: { ...greedy, repeatPenalty: 1.3 } })],
  ['with a stop sequence that is held back', ask('Story!', { maxTokens: 400, stop: ['zzzzzz', 'e t'] })],
  ['greedy by a schema', ask('Now.', { maxTokens: 800, replyFormat: jsonFormat() })],
  [ADAPTED, ask('Tell me a story.', { maxTokens: 900, lora: [{ name: 'adapter', scale: 1 }] })],
  [SEVERAL, ask('Say.', { maxTokens: 250, choices: 3, sampling: sampled })],
];

/** Ends the threads that hold a model with WebAssembly. */
async function endThreads(): Promise<void> {
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
}
const threads: Worker[] = [];
const noteThread = (thread: Worker) => threads.push(thread);
beforeAll(() => process.on('worker', noteThread));
afterAll(() => process.off('worker', noteThread));

/** The events of each case, undisturbed and killed when all had begun. They run beside one another: one death hits them all. */
const atOnce = once(async () => {
  await using runner = openPool('cpu', CASES.length + MORE_CHOICES);
  const undisturbed = await Promise.all(CASES.map(([, request]) => run(runner, request)));
  const begun = new Set<number>();
  let killed = 0;
  const disturbed = await Promise.all(
    CASES.map(([, request], index) =>
      run(runner, request, (count) => {
        if (count === KILLED_AT && begun.add(index).size === CASES.length) killed = killEngines();
      }),
    ),
  );
  return { undisturbed, disturbed, killed, isIdle: idle(runner) };
});

describe('a generation whose engine is killed', () => {
  it.each(CASES.map(([name], index) => [name, index] as const))(
    'says the very same as an undisturbed one, with a pause in between: %s',
    { timeout: 120_000 },
    async (_, index) => {
      const { undisturbed, disturbed, killed, isIdle } = await atOnce();
      expect({ killed, isIdle }).toEqual({ killed: 1, isIdle: true });
      expectTakenUp(disturbed[index] ?? [], undisturbed[index] ?? []);
    },
  );

  it('tells the same log probabilities of each token, none twice', async () => {
    const runner = open();
    const request = ask('Tell me.', { maxTokens: 200, logprobs: 2 });
    const tokensOf = (events: GenerationEvent[]) =>
      events.flatMap((event) => (event.kind === 'text' ? (event.logprobs ?? []).map(({ text }) => text) : []));
    const undisturbed = await run(runner, request);
    const events = await run(runner, request, (count) => {
      if (count === 15) killEngines();
    });
    expect(tokensOf(events)).toEqual(tokensOf(undisturbed));
  });

  it('goes on with its neighbours, however often they are killed', { timeout: 120_000 }, async () => {
    const runner = open();
    const requests = Array.from({ length: SLOTS }, (_, index) => ask(`Story ${index}`, { maxTokens: 300 }));
    const undisturbed = await Promise.all(requests.map((request) => run(runner, request)));
    const KILLS = 3;
    const events = await Promise.all(
      requests.map((request, index) =>
        run(runner, request, (count) => {
          if (index === 0 && count % 40 === 0 && count / 40 <= KILLS) killEngines();
        }),
      ),
    );
    expect(events.map(textOf)).toEqual(undisturbed.map(textOf));
    expect(idle(runner)).toBe(true);
  });

  it('starts anew when nothing was said yet', async () => {
    const runner = open();
    const request = ask('Hello', { maxTokens: 20 });
    const undisturbed = textOf(await run(runner, request));
    const running = run(runner, request);
    killEngines();
    expect(textOf(await running)).toBe(undisturbed);
  });

  it('is told in the log with the process, the reason, and how many requests it hit', async () => {
    const runner = open();
    await run(runner, ask('Story', { maxTokens: 300 }), (count) => {
      if (count === 5) killEngines(process.pid, 'SIGSEGV');
    });
    expect(lines.filter((line) => line.startsWith('the engine died'))).toEqual([
      expect.stringMatching(/"model":"tiny".*"pid":\d+,"requests":1,.*ended by SIGSEGV/),
    ]);
  });

  it('gets an error when each engine dies of it, and the model serves others again', { timeout: 120_000 }, async () => {
    const runner = open();
    await run(runner, ask('Hello', { maxTokens: 2 }));
    const fatal = run(runner, ask('Story', { maxTokens: null }), () => killEngines(process.pid, 'SIGSEGV'));
    await expect(fatal).rejects.toMatchObject({ data: { status: 500, code: 'engine_crashed' } });
    expect(idle(runner)).toBe(true);
    expect(doneOf(await run(runner, ask('Hello', { maxTokens: 4 }))).completionTokens).toBe(4);
  });

  it('leaves no process behind when the pool closes', async () => {
    const runner = open();
    await run(runner, ask('Hello', { maxTokens: 2 }));
    expect(enginePids()).toHaveLength(1);
    await pool?.[Symbol.asyncDispose]();
    expect(enginePids()).toEqual([]);
  });
});

describe('a generation whose WebAssembly thread dies', { timeout: 120_000 }, () => {
  describe('in the midst of it', () => {
    // A finished generation makes its deaths forgotten, so that the breaker stays closed.
    let shared: Runner & AsyncDisposable;
    beforeAll(() => {
      shared = openPool('wasm', 1);
    });
    afterAll(() => shared[Symbol.asyncDispose]());

    it.each([
      ...CASES.filter(([name]) => name !== SEVERAL && name !== ADAPTED).map(
        ([name, request]) => [name, request, KILLED_AT] as const,
      ),
      [
        'in the second of several choices',
        ask('Say.', { maxTokens: 250, choices: 3, sampling: sampled }),
        300,
      ] as const,
      [
        'with bytes that are no UTF-8',
        ask('Bytes', { maxTokens: 400, sampling: { ...greedy, temperature: 3 } }),
        60,
      ] as const,
    ])('says the very same as an undisturbed one, with a pause in between: %s', async (_, request, killedAt) => {
      const undisturbed = await run(shared, request);
      const events = await run(shared, request, (count) => {
        if (count === killedAt) void endThreads();
      });
      expectTakenUp(events, undisturbed);
      expect(idle(shared)).toBe(true);
    });

    it('tells the same log probabilities of each token, none twice', async () => {
      // The runtime can't tell the probabilities of half a character, so the reply has whole ones only.
      const request = ask('Tell me.', { maxTokens: 300, logprobs: 2, replyFormat: lettersFormat() });
      const logprobsOf = (events: GenerationEvent[]) =>
        events.flatMap((event) => (event.kind === 'text' ? (event.logprobs ?? []) : []));
      const undisturbed = await run(shared, request);
      const events = await run(shared, request, (count) => {
        if (count === KILLED_AT) void endThreads();
      });
      expect(logprobsOf(events)).toEqual(logprobsOf(undisturbed));
    });
  });

  it('gets an error when each thread dies of it, and the model serves others again', async () => {
    const runner = open('wasm');
    const fatal = run(runner, ask('Story', { maxTokens: null }), () => void endThreads());
    await expect(fatal).rejects.toMatchObject({ data: { status: 500, code: 'engine_crashed' } });
    expect(idle(runner)).toBe(true);
    expect(doneOf(await run(runner, ask('Hello', { maxTokens: 4 }))).completionTokens).toBe(4);
  });

  it('is refused for a time, with the reason, when its threads have died again and again', async () => {
    const runner = open('wasm');
    const fatal = () => run(runner, ask('Story', { maxTokens: null }), () => void endThreads());
    // Each kills two threads, and the breaker opens at the fifth.
    for (const _ of [1, 2]) await expect(fatal()).rejects.toMatchObject({ data: { code: 'engine_crashed' } });
    await expect(fatal()).rejects.toMatchObject({ data: { status: 503, code: 'engine_unavailable' } });
    await expect(run(runner, ask('Hello'))).rejects.toMatchObject({ data: { code: 'engine_unavailable' } });
  });
});

describe('a model whose file is replaced', { timeout: 120_000 }, () => {
  /** Puts another model in the place of this one, or this one in the place of another. */
  const replace = (model: string) => {
    rmSync(changing, { force: true });
    copyFileSync(join(inject('modelsFolder'), `${model}.gguf`), changing);
  };
  const story = ask('Tell me a story.', { maxTokens: 400 });
  const textBy = async (model: string) => textOf(await run(open(), story, () => {}, model));

  it.each(['cpu', 'wasm'] as const)(
    'on %s: a running reply whose engine dies ends with an error that says so, and the next one is of the new file',
    async (backend) => {
      replace('tiny');
      const runner = open(backend);
      const broken = run(
        runner,
        story,
        (count) => {
          if (count !== 10) return;
          replace('shelf/brief');
          killEngines();
          void endThreads();
        },
        'changing',
      );
      await expect(broken).rejects.toMatchObject({ data: { status: 503, code: 'model_changed' } });
      expect(idle(runner)).toBe(true);
      const after = textOf(await run(runner, story, () => {}, 'changing'));
      await pool?.[Symbol.asyncDispose]();
      expect(after).toBe(textOf(await run(open(backend), story, () => {}, 'shelf/brief')));
    },
  );

  it('ends the replies that run with the old one, and begins those that come after with the new one', async () => {
    replace('tiny');
    const runner = open();
    let next: Promise<GenerationEvent[]> | undefined;
    const events = await run(
      runner,
      story,
      (count) => {
        if (count !== 10) return;
        replace('shelf/brief');
        next = run(runner, story, () => {}, 'changing');
      },
      'changing',
    );
    const texts = [textOf(events), textOf((await next) ?? [])];
    await pool?.[Symbol.asyncDispose]();
    expect(texts).toEqual([await textBy('tiny'), await textBy('shelf/brief')]);
  });

  it('goes on as it is while the file is missing', async () => {
    replace('tiny');
    const runner = open();
    const before = textOf(await run(runner, story, () => {}, 'changing'));
    rmSync(changing);
    expect(textOf(await run(runner, story, () => {}, 'changing'))).toBe(before);
  });
});

describe('a question whose engine is killed', () => {
  it('is asked again', async () => {
    const runner = open();
    await run(runner, ask('Hello', { maxTokens: 2 }));
    killEngines();
    const answer = await runner.ask('tiny', 'tokenize', { text: 'Hello', addSpecial: false }, call());
    expect(answer.tokens.length).toBeGreaterThan(0);
  });
});

function expectTakenUp(events: GenerationEvent[], undisturbed: GenerationEvent[]): void {
  expect(events.filter(isPause)).toHaveLength(1);
  expect(textsOfChoices(events)).toEqual(textsOfChoices(undisturbed));
  const { promptTokens, completionTokens } = doneOf(undisturbed);
  expect(doneOf(events)).toMatchObject({ promptTokens, completionTokens });
}

function jsonFormat(): GenerationRequest['replyFormat'] {
  const schema = { type: 'object', properties: { a: { type: 'string', minLength: 700 } }, required: ['a'] };
  return { kind: 'schema', schema, param: 'response_format.json_schema.schema' };
}

function lettersFormat(): GenerationRequest['replyFormat'] {
  return { kind: 'schema', schema: { type: 'string', pattern: '^[a-z ]{600}$' }, param: 'response_format' };
}

/** The text of each choice. */
function textsOfChoices(events: GenerationEvent[]): string[] {
  const texts: string[] = [];
  for (const event of events) {
    if (event.kind === 'text') texts[event.choice] = (texts[event.choice] ?? '') + event.text;
  }
  return texts;
}
