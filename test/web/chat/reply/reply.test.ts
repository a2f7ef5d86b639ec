import { describe, expect, it } from 'vitest';
import { newReply } from '../../../../web/chat/conversation/conversation.ts';
import '../../../../web/chat/messages/later.ts';
import { inEnglish, translateSaid } from '../../../../web/chat/messages/translate.ts';
import { arrivalOf, withArrivalEvent } from '../../../../web/chat/models/arrival.ts';
import { footingOf, type Health, isHealth, waitingFor } from '../../../../web/chat/page/health.ts';
import { endNote, explainStats, formatSeconds, formatStats } from '../../../../web/chat/reply/figures.ts';
import {
  type ChatChunk,
  type Coming,
  coming,
  statsOf,
  statsOfAll,
  withChunk,
} from '../../../../web/chat/reply/reply.ts';
import { spokenReply } from '../../../../web/chat/reply/spoken.ts';

type Delta = NonNullable<ChatChunk['choices']>[number]['delta'];

const says = (delta: Delta): ChatChunk => ({ choices: [{ delta, finish_reason: null }] });
/** Receives these chunks, 100 ms apart. */
const received = (...chunks: ChatChunk[]): Coming =>
  chunks.reduce((state, chunk, index) => withChunk(state, chunk, (index + 1) * 100), coming(newReply('pico')));

describe('a growing reply', () => {
  it('collects text, reasoning, calls, progress and the end', () => {
    const state = received(
      {
        choices: [{ delta: { content: '' }, finish_reason: null }],
        prompt_progress: { cache: 1, processed: 2, total: 4 },
      },
      says({ reasoning_content: 'Hm.' }),
      says({ content: 'It ' }),
      says({ content: 'is.' }),
      says({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look', arguments: '' } }] }),
      says({ tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] }),
      says({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
      says({ tool_calls: [{ index: 1, id: 'call_2', function: { name: 'wait', arguments: '{}' } }] }),
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }], timings: { predicted_per_second: 12.5 } },
      { choices: [], usage: { prompt_tokens: 4, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 1 } } },
    );
    expect(state.reply).toMatchObject({
      text: 'It is.',
      reasoning: 'Hm.',
      calls: [
        { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
        { id: 'call_2', type: 'function', function: { name: 'wait', arguments: '{}' } },
      ],
    });
    expect(state.finish).toBe('tool_calls');
    expect(state.prompt).toEqual({ cache: 1, processed: 2, total: 4 });
    expect(statsOf(state, 1000)).toEqual({
      promptTokens: 4,
      cachedTokens: 1,
      tokens: 9,
      tokensPerSecond: 12.5,
      firstTokenMs: 200,
      totalMs: 1000,
    });
  });

  it('has figures of its own if it is stopped before the server sent any', () => {
    const state = received(says({ content: 'a' }), says({ content: 'b' }), says({ content: 'c' }));
    expect(statsOf(state, 400)).toMatchObject({ tokens: 3, tokensPerSecond: 10, firstTokenMs: 100 });
    expect(statsOf(received(says({ content: 'a' })), 400).tokensPerSecond).toBeNull();
  });

  it('has the figures of both parts if it went on', () => {
    const stats = { promptTokens: 5, cachedTokens: 0, tokens: 3, tokensPerSecond: 10, firstTokenMs: 100, totalMs: 400 };
    const rest = { ...stats, promptTokens: 8, cachedTokens: 8, tokens: 2, tokensPerSecond: 20, firstTokenMs: 50 };
    expect(statsOfAll(stats, rest)).toEqual({
      ...rest,
      tokens: 5,
      inPrompt: stats.tokens,
      firstTokenMs: 100,
      totalMs: 800,
    });
    expect(statsOfAll(null, rest)).toBe(rest);
    expect(statsOfAll(stats, null)).toBe(stats);
  });

  it('keeps why not more of the prompt was cached', () => {
    const state = received({
      timings: { predicted_per_second: 12.5, cache: { miss: { token: 3, why: 'changed', before: '', after: '' } } },
    });
    expect(statsOf(state, 400).miss).toBe('changed');
  });
});

describe('figures for people', () => {
  it('show times and the speed of a reply', () => {
    expect([0.2, 59, 90, 7260].map((seconds) => formatSeconds(seconds, inEnglish))).toEqual([
      '1 s',
      '59 s',
      '2 min',
      '2 h 1 min',
    ]);
    const stats = {
      promptTokens: 1,
      cachedTokens: 0,
      tokens: 1,
      tokensPerSecond: 5.25,
      firstTokenMs: 1234,
      totalMs: 1,
    };
    expect(formatStats(stats, inEnglish)).toBe('1 token · 5.3 tokens/s · first after 1.2 s');
    expect(explainStats({ ...stats, promptTokens: 1200, cachedTokens: 1100, miss: 'evicted' }, inEnglish)).toEqual([
      'The prompt had 1,200 tokens, 1,100 of them cached.',
      'More of it was cached once, and made room for others.',
      'The reply took 1 ms.',
    ]);
    expect(explainStats(stats, inEnglish)).toHaveLength(2);
    expect(endNote({ kind: 'finished', reason: 'stop' }, inEnglish)).toBeNull();
    expect(endNote({ kind: 'finished', reason: 'length' }, inEnglish)).toMatch(/Cut off/);
  });
});

describe('the text for a screen reader', () => {
  const spoken = (text: string, end: Parameters<typeof spokenReply>[0]['end']) =>
    spokenReply({ ...newReply('Pico'), text, end }, inEnglish);

  it('has the words without Markdown marks, and says how the reply ended', () => {
    const text = '## Two\n\n- **bold** and `code`\n- [a link](https://example.org)\n\n```js\nrun();\n```';
    expect(spoken(text, { kind: 'finished', reason: 'stop' })).toBe('Pico says: Two bold and code a link run();');
    expect(spoken('Half', { kind: 'stopped' })).toBe('Stopped. Pico says: Half');
    expect(spoken('', { kind: 'failed', message: 'It broke.', code: null })).toBe('The reply failed: It broke.');
  });
});

describe('health', () => {
  const health: Health = {
    models: [
      {
        id: 'a',
        backend: 'gpu',
        device: 'cuda: A card',
        fallback_reasons: [],
        context_length: 8192,
        memory: 1,
        busy: 1,
        waiting: 2,
      },
      {
        id: 'b',
        backend: 'cpu',
        device: 'cpu',
        fallback_reasons: ['No GPU was found.'],
        context_length: 1024,
        memory: 1,
        busy: 0,
        waiting: 0,
      },
    ],
    moving: [{ id: 'c', state: 'loading', waiting: 1 }],
  };

  it('is told apart from the answers of other servers', () => {
    expect(isHealth({ status: 'ok', ...health })).toBe(true);
    expect([null, 'ok', { status: 'ok' }, { status: 'ok', models: {} }].map(isHealth)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('says what a model runs on, and why it is not a faster backend', () => {
    expect(footingOf(health, 'a', inEnglish).text).toBe('Runs on the GPU (cuda: A card), context of 8,192 tokens.');
    expect(footingOf(health, 'b', inEnglish)).toEqual({
      text: 'Runs on the CPU, context of 1,024 tokens.',
      reasons: ['No GPU was found.'],
    });
    expect(footingOf(health, 'b', inEnglish, true).text).toBe(
      'Runs on the CPU, in this browser, context of 1,024 tokens.',
    );
    expect(footingOf(health, 'c', inEnglish).text).toMatch(/loaded/);
    expect(footingOf(null, 'a', inEnglish).text).toMatch(/Not in memory/);
  });

  it('says what a reply waits for', () => {
    expect(['a', 'b', 'c', 'd'].map((id) => waitingFor(health, id, inEnglish))).toEqual([
      'Waiting in line…',
      'Waiting for the model…',
      'Loading the model…',
      'Waiting for the model…',
    ]);
  });
});

const HALFWAY = {
  status: 'downloading' as const,
  file: 'a.gguf',
  completed: 5,
  total: 10,
  bytes_per_second: 2,
  seconds_left: 3,
};

describe('a model that is being pulled', () => {
  it('shows each step', () => {
    const begun = arrivalOf('hf:org/repo');
    const halfway = withArrivalEvent(begun, HALFWAY);
    expect(halfway).toMatchObject({ step: 'a.gguf', completed: 5, total: 10, secondsLeft: 3 });
    const waiting = withArrivalEvent(halfway, { status: 'waiting', reason: 'The connection was lost.' });
    expect(waiting).toMatchObject({ step: 'The connection was lost.', completed: 5, secondsLeft: null });
    expect(withArrivalEvent(waiting, { status: 'verifying', file: 'a.gguf' }).step).toEqual({
      key: 'adding.checking',
      values: { file: 'a.gguf' },
    });
  });
});

describe('a file that is being imported', () => {
  it('has its name in the heading alone, and not in the steps below', () => {
    const begun = arrivalOf('a.gguf', 'import');
    const halfway = withArrivalEvent(begun, HALFWAY);
    const checked = withArrivalEvent(halfway, { status: 'verifying', file: 'a.gguf' });
    expect([begun, halfway, checked].map(({ step }) => translateSaid(step, inEnglish))).toEqual([
      'Copying it into this browser…',
      'Copying it into this browser…',
      'Checking it…',
    ]);
    expect(halfway).toMatchObject({ source: 'a.gguf', completed: 5, total: 10 });
  });
});
