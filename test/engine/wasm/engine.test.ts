import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ResumedChoice } from '../../../src/contract/generation-request.ts';
import { chat, greedy } from '../../kit/generation.ts';
import { kindsOf, only, request, sampling, textOf, WasmThread } from './wasm-thread.ts';

const PROMPT = 'Tell me a story about a fox';

let thread: WasmThread;

beforeAll(async () => {
  thread = await WasmThread.start({ files: [join(inject('modelsFolder'), 'tiny.gguf')] });
});

afterAll(() => thread.stop());

async function say(prompt: string, changes: Parameters<typeof request>[1] = {}): Promise<string> {
  return textOf(await thread.run(request(prompt, changes)));
}

describe('info', () => {
  it('says what is loaded', () => {
    expect(thread.info).toMatchObject({
      backend: 'wasm',
      runtime: 'wllama',
      device: expect.stringMatching(/^WebAssembly/),
      contextLength: 512,
      trainedContextLength: 1024,
      slots: 1,
      gpuLayers: 0,
      threads: 1,
    });
  });
});

describe('a generation', () => {
  it('says progress, text, finish and done, in this order', async () => {
    const events = await thread.run(request(PROMPT.repeat(8), { cachePrompt: false }));
    expect(kindsOf(events)).toEqual(['progress', 'text', 'finish', 'done']);
    const done = only(events, 'done');
    expect(events[0]).toMatchObject({ kind: 'progress', cache: 0, processed: 0, total: done.promptTokens });
    expect(events.findLast(({ kind }) => kind === 'progress')).toMatchObject({ processed: done.promptTokens });
    expect(done).toMatchObject({ cachedTokens: 0, completionTokens: 16 });
    expect(done.promptMs).toBeGreaterThan(0);
    expect(done.predictedMs).toBeGreaterThan(0);
  });

  it('says once that a prompt is read which takes one pass', async () => {
    const events = await thread.run(request(PROMPT, { cachePrompt: false }));
    const { promptTokens } = only(events, 'done');
    const progress = events.filter(({ kind }) => kind === 'progress');
    expect(progress).toMatchObject([{ cache: 0, processed: promptTokens, total: promptTokens }]);
    expect(events[0]).toBe(progress[0]);
  });

  it('says progress first even if the whole prompt is cached', async () => {
    await say(PROMPT);
    const events = await thread.run(request(PROMPT));
    const { promptTokens, cachedTokens } = only(events, 'done');
    expect(cachedTokens).toBe(promptTokens - 1);
    expect(events[0]).toMatchObject({ kind: 'progress', cache: cachedTokens, total: promptTokens });
  });

  it('finds a prompt again after another one', async () => {
    const first = `${PROMPT}, the red one`.repeat(5);
    await say(first);
    await say('Something else altogether, say. '.repeat(5));
    const { promptTokens, cachedTokens } = only(await thread.run(request(first)), 'done');
    expect(cachedTokens).toBe(promptTokens - 1);
  });

  it('ends with length at max_tokens', async () => {
    const events = await thread.run(request(PROMPT, { maxTokens: 5 }));
    expect(only(events, 'finish').reason).toBe('length');
    expect(only(events, 'done').completionTokens).toBe(5);
  });

  it('ends with length when the context is full', async () => {
    const events = await thread.run(request(PROMPT, { maxTokens: null }));
    expect(only(events, 'finish').reason).toBe('length');
    const { promptTokens, completionTokens } = only(events, 'done');
    expect(promptTokens + completionTokens).toBe(512);
  });

  it('with LoRA adapters is refused, and it serves on', async () => {
    const { ended } = thread.generate(request(PROMPT, { lora: [{ name: 'style', scale: 1 }] }));
    expect(await ended).toMatchObject({ data: { status: 400, code: 'unsupported_parameter', param: 'lora' } });
    expect(await say(PROMPT)).not.toBe('');
  });

  it('says overflow, and nothing else, of a prompt that does not fit', async () => {
    const events = await thread.run(request(PROMPT.repeat(60)));
    expect(events).toEqual([{ kind: 'overflow', promptTokens: expect.any(Number), contextLength: 512 }]);
    expect(only(events, 'overflow').promptTokens).toBeGreaterThan(512);
    expect(await say(PROMPT)).not.toBe('');
  });

  it('takes a system message, tool calls and their results', async () => {
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
    const text = await say('', {
      prompt: chat([
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: PROMPT },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', content: 'a fox', tool_call_id: 'call_1' },
      ]),
    });
    expect(text).not.toBe('');
  });

  it('is refused while another one runs', async () => {
    const running = thread.generate(request(PROMPT, { maxTokens: 40 }));
    expect(await thread.generate(request(PROMPT)).ended).toMatchObject({ message: expect.stringMatching(/one thing/) });
    expect(await running.ended).toBeNull();
  });
});

describe('sampling', () => {
  it('says U+FFFD for bytes that are no UTF-8, as the native engine does, and goes on', {
    timeout: 120_000,
  }, async () => {
    const texts: string[] = [];
    for (let seed = 1; seed <= 30; seed++) {
      const wild = { ...greedy, temperature: 5, seed };
      const events = await thread.run(request(PROMPT, { maxTokens: 40, sampling: wild }));
      texts.push(textOf(events));
      expect(only(events, 'finish')).toMatchObject({ reason: expect.stringMatching(/^(length|stop)$/) });
      expect(only(events, 'done').completionTokens).toBeLessThanOrEqual(41);
    }
    expect(texts.filter((text) => text.includes('\u{FFFD}')).length).toBeGreaterThan(0);
  });

  it('counts the tokens of a prompt whose reply begins with such bytes', async () => {
    const { promptTokens } = only(await thread.run(request(PROMPT, { cachePrompt: false })), 'done');
    // The token of a byte has its value as id.
    const broken = sampling({ logitBias: [[0xff, 100]] });
    const events = await thread.run(request(PROMPT, { cachePrompt: false, maxTokens: 2, sampling: broken }));
    expect(textOf(events)).toBe('\u{FFFD}\u{FFFD}');
    expect(events[0]).toMatchObject({ kind: 'progress', total: promptTokens });
    expect(only(events, 'done')).toMatchObject({ promptTokens, completionTokens: 2 });
  });

  it('is greedy at temperature 0, whatever the seed and the cache', async () => {
    const text = await say(PROMPT, { cachePrompt: false });
    expect(await say(PROMPT, { cachePrompt: false, sampling: sampling({ seed: 99 }) })).toBe(text);
    expect(await say(PROMPT)).toBe(text);
  });

  it('gives equal text for equal seeds', async () => {
    const seeded = (seed: number) => say(PROMPT, { sampling: sampling({ temperature: 1, seed }) });
    const text = await seeded(7);
    expect(await seeded(7)).toBe(text);
    expect(await seeded(8)).not.toBe(text);
    expect(await seeded(4_000_000_000)).toBe(await seeded(4_000_000_000));
  });

  it.each([{ topK: 1 }, { topP: 1e-6 }, { minP: 1 }])('is greedy with %o', async (filter) => {
    expect(await say(PROMPT, { sampling: sampling({ temperature: 1, ...filter }) })).toBe(await say(PROMPT));
  });

  it.each([
    { typicalP: 0.01 },
    { dynatempRange: 0.9 },
    { mirostat: 1 as const },
    { mirostat: 2 as const },
    { repeatPenalty: 3, repeatLastN: 64 },
    { presencePenalty: 20, repeatLastN: 64 },
    { frequencyPenalty: 20, repeatLastN: 64 },
  ])('is changed by %o', async (change) => {
    const plain = sampling({ temperature: 1, seed: 3 });
    const text = await say(PROMPT, { maxTokens: 40, sampling: plain });
    expect(await say(PROMPT, { maxTokens: 40, sampling: { ...plain, ...change } })).not.toBe(text);
  });

  it('penalises within the window: none, some tokens, or the whole context with the prompt', async () => {
    const words = (repeatLastN: number) =>
      say('abcdefghijklm', { maxTokens: 60, sampling: sampling({ presencePenalty: 100, repeatLastN }) });
    const off = await words(0);
    const all = await words(-1);
    expect(all).not.toBe(off);
    expect(await words(512)).toBe(all);
    expect(await words(8)).not.toBe(all);
  });

  it('follows logit_bias', async () => {
    const text = await say(PROMPT, { maxTokens: 4, sampling: sampling({ logitBias: [[65, 1000]] }) });
    expect(new Set(text).size).toBe(1);
  });
});

describe('stop strings', () => {
  it('never leak, wherever they end', async () => {
    const whole = await say(PROMPT, { maxTokens: 40 });
    for (const [start, length] of [
      [0, 1],
      [3, 4],
      [10, 2],
      [15, 9],
    ] as const) {
      const stop = whole.slice(start, start + length);
      const events = await thread.run(request(PROMPT, { maxTokens: 40, stop: ['\0never', stop] }));
      expect(textOf(events)).toBe(whole.slice(0, whole.indexOf(stop)));
      expect(kindsOf(events).at(-2)).toBe('finish');
      expect(only(events, 'finish').reason).toBe('stop');
      expect(only(events, 'done').completionTokens).toBeLessThanOrEqual(40);
      expect(await say(PROMPT, { maxTokens: 40 })).toBe(whole);
    }
  });

  it('that only begin to match cost no text when the reply ends', async () => {
    const whole = await say(PROMPT, { maxTokens: 12 });
    expect(await say(PROMPT, { maxTokens: 12, stop: [`${whole.slice(-2)}\0`] })).toBe(whole);
  });
});

describe('a prompt without a conversation', () => {
  it('is continued as it stands', async () => {
    const { prompt } = request(PROMPT);
    const rendered = `<|im_start|>user\n${PROMPT}<|im_end|>\n<|im_start|>assistant\n`;
    expect(prompt.kind).toBe('chat');
    expect(await say('', { prompt: { kind: 'text', text: rendered } })).toBe(await say(PROMPT));
  });

  it('is continued as tokens, and refused if there is no such token', async () => {
    const rendered = Array.from(Buffer.from('Hello 3'));
    const text = await say('', { prompt: { kind: 'text', text: 'Hello 3' } });
    const events = await thread.run(request('', { prompt: { kind: 'tokens', tokens: rendered } }));
    expect(textOf(events)).toBe(text);
    expect(only(events, 'done').promptTokens).toBe(rendered.length);
    const { ended } = thread.generate(request('', { prompt: { kind: 'tokens', tokens: [65, 100_000] } }));
    expect(await ended).toMatchObject({ data: { status: 400 }, message: expect.stringContaining('no token 100000') });
  });

  it('is refused as tokens that no text has, and it serves on', async () => {
    // The vocabulary has a token for the whole word.
    const tokens = Array.from(Buffer.from('hello'));
    const { ended } = thread.generate(request('', { prompt: { kind: 'tokens', tokens } }));
    expect(await ended).toMatchObject({ data: { status: 400, code: 'unsupported_parameter', param: 'prompt' } });
    expect(await say(PROMPT)).not.toBe('');
  });

  it('is refused as tokens that do not fit', async () => {
    const tokens = Array<number>(512).fill(65);
    expect(await thread.run(request('', { prompt: { kind: 'tokens', tokens } }))).toEqual([
      { kind: 'overflow', promptTokens: 512, contextLength: 512 },
    ]);
    expect(await say(PROMPT)).not.toBe('');
  });
});

describe('a banned text', () => {
  it('ends the reply before it, in any case, and later replies do not change', async () => {
    const whole = await say(PROMPT, { maxTokens: 40 });
    const banned = whole.slice(10, 14).toUpperCase();
    const events = await thread.run(request(PROMPT, { maxTokens: 40, banned: ['\0never', banned] }));
    expect(textOf(events)).toBe(whole.slice(0, whole.toUpperCase().indexOf(banned)));
    expect(only(events, 'finish').reason).toBe('content_filter');
    expect(await say(PROMPT, { maxTokens: 40 })).toBe(whole);
  });
});

describe('a grammar', () => {
  const schema = { type: 'object', properties: { answer: { enum: ['yes', 'no'] } }, required: ['answer'] };

  it('is kept to', async () => {
    const replyFormat = { kind: 'schema', schema, param: 'x' } as const;
    const events = await thread.run(request('?', { replyFormat, maxTokens: 100 }));
    expect(['yes', 'no']).toContain(JSON.parse(textOf(events)).answer);
    expect(only(events, 'finish').reason).toBe('stop');
  });

  it('makes the model call a required tool', async () => {
    const tools = [{ name: 'answer', parameters: schema }];
    const prompt = chat([{ role: 'user', content: '?' }], { tools, toolChoice: 'required', parallelToolCalls: false });
    const events = await thread.run(request('', { prompt, maxTokens: 200 }));
    expect(only(events, 'toolCall')).toMatchObject({ index: 0, name: 'answer' });
    const pieces = events.flatMap((event) => (event.kind === 'toolArguments' ? [event.text] : []));
    expect(pieces.length).toBeGreaterThan(1);
    expect(['yes', 'no']).toContain(JSON.parse(pieces.join('')).answer);
    expect(only(events, 'finish').reason).toBe('tool_calls');
    expect(textOf(events)).toBe('');
  });
});

describe('logprobs', () => {
  it('of a prompt, which the runtime does not tell, are refused', async () => {
    const prompt = { kind: 'text', text: 'hello' } as const;
    const { ended } = thread.generate(request('', { prompt, logprobs: 0, promptLogprobs: true }));
    expect(await ended).toMatchObject({ data: { status: 400, code: 'unsupported_parameter', param: 'logprobs' } });
  });

  it('that the runtime can not tell, of tokens that are a part of a character, are refused, and it serves on', async () => {
    const story = request('Tell me a story about a fox', { logprobs: 3, maxTokens: 12 });
    await expect(thread.run(story)).rejects.toMatchObject({ data: { status: 400, param: 'logprobs' } });
    expect(textOf(await thread.run({ ...story, logprobs: null }))).not.toBe('');
  });

  it.each([0, 3])('give the log probability of each token, with %d alternatives', async (logprobs) => {
    const events = await thread.run(request('hello', { logprobs, maxTokens: 12 }));
    const tokens = events.flatMap((event) => (event.kind === 'text' ? (event.logprobs ?? []) : []));
    expect(tokens).toHaveLength(12);
    for (const { logprob, alternatives } of tokens) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(alternatives).toHaveLength(logprobs);
      // A greedily drawn token is the most likely one.
      if (logprobs > 0) expect(alternatives[0]?.logprob).toBe(logprob);
    }
    const bytes = Uint8Array.from(tokens.flatMap((token) => token.bytes));
    expect(new TextDecoder().decode(bytes)).toBe(textOf(events));
  });
});

describe('prompts of different keys', () => {
  const long = (about: string) => `${about}, and what comes of it, told at length. `.repeat(4);
  /** The number of tokens that a request of this key found in the cache. */
  const cachedFor = async (cacheScope: string, content: string, changes: Parameters<typeof request>[1] = {}) => {
    const asked = Object.assign(request(content, { maxTokens: 4, ...changes }), { cacheScope });
    return only(await thread.run(asked), 'done').cachedTokens;
  };

  it('are not found by another key, not among earlier ones either', async () => {
    await cachedFor('ada', long('a secret'));
    expect(await cachedFor('bob', long('something else'))).toBe(0);
    expect(await cachedFor('bob', long('a secret'))).toBe(0);
    expect(await cachedFor('bob', long('a secret'))).toBeGreaterThan(10);
  });

  it('are not found by another key whose request was aborted before', async () => {
    await cachedFor('ada', long('one more secret'));
    const asked = Object.assign(request(long('one more secret').repeat(2)), { cacheScope: 'bob' });
    const aborted = thread.generate(asked);
    aborted.abort();
    await aborted.ended;
    expect(await cachedFor('bob', long('one more secret'))).toBe(0);
  });

  it('are not found by a later choice of a request whose first one another engine has finished', async () => {
    await cachedFor('ada', long('the last secret'));
    const finished: ResumedChoice = { said: [], count: 5, tokens: [], logprobs: [], finished: true };
    const resume = [finished, { ...finished, count: 0, finished: false }];
    expect(await cachedFor('bob', long('the last secret'), { choices: 2, resume })).toBe(0);
  });
});

describe('several choices', () => {
  it('each have a seed of their own, and share one evaluation of the prompt', async () => {
    const seeded = (choices: number, seed: number) =>
      thread.run(request(PROMPT, { choices, sampling: { ...greedy, temperature: 1, seed } }));
    const events = await seeded(3, 5);
    const texts = [0, 1, 2].map((choice) =>
      textOf(events.filter((event) => 'choice' in event && event.choice === choice)),
    );
    expect(texts).toEqual([textOf(await seeded(1, 5)), textOf(await seeded(1, 6)), textOf(await seeded(1, 7))]);
    expect(new Set(texts).size).toBe(3);
    const { promptTokens, completionTokens } = only(events, 'done');
    expect(completionTokens).toBe(3 * 16);
    expect(promptTokens).toBe(only(await seeded(1, 5), 'done').promptTokens);
    expect(kindsOf(events)).toEqual(['progress', 'text', 'finish', 'text', 'finish', 'text', 'finish', 'done']);
  });
});

describe('an abort', () => {
  it.each(['progress', 'text'] as const)('after %s ends the generation and frees the engine', async (kind) => {
    const expected = await say('hi');
    const generation = thread.generate(request(PROMPT.repeat(8), { maxTokens: null, cachePrompt: false }));
    await generation.reached(kind);
    generation.abort();
    expect(await generation.ended).toBeNull();
    expect(kindsOf(generation.events)).not.toContain('finish');
    const count = generation.events.length;
    expect(await say('hi')).toBe(expected);
    expect(generation.events).toHaveLength(count);
  });
});

describe('a reply that another engine had begun', () => {
  const prompt = { kind: 'text', text: PROMPT } as const;
  const begun = (text: string, count: number): ResumedChoice => ({
    said: [{ kind: 'text', choice: 0, text }],
    count,
    tokens: [],
    logprobs: [],
    finished: false,
  });

  it('goes on after what was said, and says nothing of it again', async () => {
    const whole = await thread.run(request('', { prompt, maxTokens: 24 }));
    const pieces = whole.flatMap((event) => (event.kind === 'text' ? [event.text] : []));
    const said = pieces.slice(0, 7).join('');
    const rest = await thread.run(request('', { prompt, maxTokens: 24, resume: [begun(said, 7)] }));
    expect(said + textOf(rest)).toBe(textOf(whole));
    expect(only(rest, 'done').completionTokens).toBe(24);
  });

  it('says nothing more of a choice that was complete', async () => {
    const changes = { prompt, maxTokens: 8, choices: 2, sampling: sampling({ temperature: 1 }) };
    const whole = await thread.run(request('', changes));
    const resume = [{ ...begun('whatever it was', 5), finished: true }, begun('', 0)];
    const rest = await thread.run(request('', { ...changes, resume }));
    const ofChoice = (events: typeof whole, choice: number) =>
      textOf(events.filter((event) => event.kind === 'text' && event.choice === choice));
    expect(ofChoice(rest, 0)).toBe('');
    expect(ofChoice(rest, 1)).toBe(ofChoice(whole, 1));
    expect(only(rest, 'done').completionTokens).toBe(5 + 8);
  });

  it('that would come out differently here goes on from its text as from a prompt', async () => {
    const said = ' which this model never says,';
    const rest = await thread.run(request('', { prompt, maxTokens: 24, resume: [begun(said, 8)] }));
    const continued = { kind: 'text', text: PROMPT + said } as const;
    expect(textOf(rest)).toBe(await say('', { prompt: continued, maxTokens: 16 }));
    expect(only(rest, 'done').completionTokens).toBe(24);
  });

  it('ends when it had all its tokens, also if it would come out differently', async () => {
    const rest = await thread.run(request('', { prompt, maxTokens: 8, resume: [begun(' all of it', 8)] }));
    expect(textOf(rest)).toBe('');
    expect(only(rest, 'finish').reason).toBe('length');
    expect(only(rest, 'done').completionTokens).toBe(8);
  });

  it('is refused when it would come out differently and has to match a grammar', async () => {
    const resume = [begun('{"other": 1', 5)];
    const failed = thread.run(request(PROMPT, { replyFormat: { kind: 'json' }, resume }));
    await expect(failed).rejects.toMatchObject({ data: { status: 500, code: 'reply_not_resumable' } });
  });
});
