import { describe, expect, it } from 'vitest';
import { type ChatStreamOptions, createChatEncoder } from '../../../src/api/chat/stream.ts';
import { errorBody } from '../../../src/api/http/dialect.ts';
import { eventStream } from '../../../src/api/stream/event-stream.ts';
import { applyOverflowPolicy } from '../../../src/api/stream/overflow.ts';
import type { Ping } from '../../../src/api/stream/pings.ts';
import { createCompletionHead } from '../../../src/api/stream/usage.ts';
import { overloaded, serverError } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import {
  chunksOf,
  collect,
  contentOf,
  done,
  failing,
  finish,
  ORDINARY,
  parseSse,
  progress,
  reasoning,
  streamOf,
  text,
  tokenLogprob,
  toolArguments,
  toolCall,
} from '../fixtures.ts';

const head = createCompletionHead('chatcmpl', 'tiny', 'paddock-test', 0);
const plain: ChatStreamOptions = { includeUsage: false, returnProgress: false };
const ping: Ping = { kind: 'ping' };

/** Returns the whole SSE text of these events. */
async function stream(events: AsyncGenerator<GenerationEvent | Ping>, options: Partial<ChatStreamOptions> = {}) {
  const encode = createChatEncoder(head, { ...plain, ...options });
  return (
    await collect(
      eventStream(
        await events.next(),
        events,
        { encode, isLast: ({ kind }) => kind === 'done' },
        new AbortController().signal,
        () => {},
      ),
    )
  ).join('');
}

describe('chat stream', () => {
  it('begins with the role of the assistant and an empty content', async () => {
    const [first] = chunksOf(await stream(streamOf(ORDINARY)));
    expect(first?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
  });

  it('names the role in no other chunk', async () => {
    const [, ...later] = chunksOf(await stream(streamOf(ORDINARY), { returnProgress: true, includeUsage: true }));
    expect(later.filter(({ choices }) => choices[0]?.delta.role !== undefined)).toEqual([]);
  });

  it('has the same id, model, time and object in all chunks', async () => {
    const chunks = chunksOf(await stream(streamOf(ORDINARY), { includeUsage: true }));
    for (const chunk of chunks) expect(chunk).toMatchObject({ ...head, object: 'chat.completion.chunk' });
  });

  it('carries the text in increments', async () => {
    const chunks = chunksOf(await stream(streamOf(ORDINARY)));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual(['', 'Hel', 'lo', undefined]);
    expect(contentOf(chunks)).toBe('Hello');
  });

  it.each(['stop', 'length', 'content_filter'] as const)(
    'has the finish reason %s only in the last chunk',
    async (reason) => {
      const events = [progress(1, 1), text('a'), finish(reason), done()];
      const reasons = chunksOf(await stream(streamOf(events))).map(({ choices }) => choices[0]?.finish_reason);
      expect(reasons).toEqual([null, null, reason]);
    },
  );

  it('has the timings in the chunk with the finish reason', async () => {
    const last = chunksOf(await stream(streamOf(ORDINARY))).at(-1);
    expect(last?.timings).toMatchObject({ predicted_n: 3, prompt_n: 8, cache_n: 4 });
  });

  it('ends with [DONE]', async () => {
    const events = parseSse(await stream(streamOf(ORDINARY)));
    expect(events.at(-1)).toBe('[DONE]');
    expect(events.filter((event) => event === '[DONE]')).toHaveLength(1);
  });

  it('has the final progress of the prompt only in the first chunk', async () => {
    const chunks = chunksOf(await stream(streamOf(ORDINARY)));
    expect(chunks.map((chunk) => chunk.prompt_progress)).toEqual([
      { cache: 4, processed: 12, total: 12, time_ms: 5 },
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has a chunk for every step of the prompt when asked to', async () => {
    const events = [progress(0, 9), progress(4, 9), progress(9, 9), text('a'), finish(), done()];
    const chunks = chunksOf(await stream(streamOf(events), { returnProgress: true }));
    expect(chunks.map((chunk) => chunk.prompt_progress?.processed)).toEqual([0, 4, 9, undefined, undefined]);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
  });

  it('tells the usage in a chunk without choices before [DONE], when asked to', async () => {
    const [usage, last] = parseSse(await stream(streamOf(ORDINARY), { includeUsage: true })).slice(-2);
    expect(usage).toMatchObject({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } });
    expect(last).toBe('[DONE]');
  });

  it('tells no usage when not asked to', async () => {
    expect(chunksOf(await stream(streamOf(ORDINARY))).filter(({ usage }) => usage)).toEqual([]);
  });

  it('sends a comment for a ping', async () => {
    const sse = await stream(streamOf([ping, ping, ...ORDINARY]));
    expect(sse.startsWith(': ping\n\n: ping\n\ndata: {')).toBe(true);
    expect(contentOf(chunksOf(sse))).toBe('Hello');
  });

  it('begins with the role even for a reply without text', async () => {
    const chunks = chunksOf(await stream(streamOf([progress(3, 3), finish('stop'), done()])));
    expect(chunks.map(({ choices }) => [choices[0]?.delta.role, choices[0]?.finish_reason])).toEqual([
      ['assistant', null],
      [undefined, 'stop'],
    ]);
  });

  it('begins with the role even if the last progress of the engine is incomplete', async () => {
    const [first] = chunksOf(await stream(streamOf([progress(1, 3), text('a'), finish(), done()])));
    expect(first?.choices[0]?.delta.role).toBe('assistant');
  });

  it('is complete for a prompt that does not fit: the role, the finish reason length, [DONE]', async () => {
    const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 900, contextLength: 512 };
    const sse = await stream(applyOverflowPolicy(streamOf([overflow]), 'length'), { includeUsage: true });
    const [first, last, usage] = chunksOf(sse);
    expect(first?.choices[0]).toMatchObject({ delta: { role: 'assistant', content: '' }, finish_reason: null });
    expect(last?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'length' });
    expect(usage?.usage).toMatchObject({ prompt_tokens: 900, completion_tokens: 0 });
    expect(sse.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('chat stream that fails', () => {
  it('sends the error as an event and ends without [DONE]', async () => {
    const error = overloaded('full', 5);
    const events = parseSse(await stream(failing([progress(1, 1), text('Hel')], error)));
    expect(events.at(-1)).toEqual(errorBody(error.data));
    expect(events).toHaveLength(3);
    expect(events).not.toContain('[DONE]');
  });

  it('has no finish reason', async () => {
    const sse = await stream(failing([progress(1, 1), text('Hel'), finish()], serverError()));
    expect(chunksOf(sse).filter(({ choices }) => choices?.[0]?.finish_reason)).toEqual([]);
  });
});

describe('chat stream of reasoning and tool calls', () => {
  const events = [
    progress(1, 1),
    reasoning('Hm.'),
    text('Let me see.'),
    toolCall('add', 0),
    toolArguments('{"a":', 0),
    toolArguments(' 1}', 0),
    toolCall('now', 1),
    toolArguments('{}', 1),
    finish('tool_calls'),
    done(),
  ];

  it('separates reasoning from content', async () => {
    const deltas = chunksOf(await stream(streamOf(events))).map(({ choices }) => choices[0]?.delta);
    expect(deltas.slice(0, 3)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm.' },
      { content: 'Let me see.' },
    ]);
  });

  it('names each call once, with an id of its own, and sends its arguments in increments', async () => {
    const calls = chunksOf(await stream(streamOf(events))).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(calls).toMatchObject([
      { index: 0, id: expect.any(String), type: 'function', function: { name: 'add', arguments: '' } },
      { index: 0, function: { arguments: '{"a":' } },
      { index: 0, function: { arguments: ' 1}' } },
      { index: 1, id: expect.any(String), type: 'function', function: { name: 'now', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
    ]);
    const ids = calls.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(2);
  });

  it('ends with the finish reason tool_calls', async () => {
    const last = chunksOf(await stream(streamOf(events))).at(-1);
    expect(last?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' });
  });

  it('begins with the role even if it has nothing but a call', async () => {
    const [first] = chunksOf(
      await stream(streamOf([progress(0, 1), toolCall('now'), toolArguments('{}'), finish('tool_calls'), done()])),
    );
    expect(first?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
  });
});

describe('chat stream of several choices', () => {
  const events = [
    progress(2, 2),
    text('a', 0),
    text('x', 1),
    text('b', 0),
    finish('stop', 0),
    text('y', 1),
    finish('length', 1),
    finish('stop', 2),
    done(),
  ];
  const ofChoice = async (index: number) =>
    chunksOf(await stream(streamOf(events), { includeUsage: true })).filter(
      ({ choices }) => choices[0]?.index === index,
    );

  it.each([
    [0, 'ab', 'stop'],
    [1, 'xy', 'length'],
    [2, '', 'stop'],
  ])('has, for choice %d, the role first and the finish reason last', async (index, content, reason) => {
    const chunks = await ofChoice(index);
    expect(chunks.map(({ choices }) => choices[0]?.delta.role !== undefined)).toEqual(chunks.map((_, at) => at === 0));
    expect(contentOf(chunks)).toBe(content);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason).filter((told) => told !== null)).toEqual([reason]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe(reason);
  });

  it('has the progress in the first chunk and the timings in the last chunk with a choice, for all choices together', async () => {
    const chunks = chunksOf(await stream(streamOf(events)));
    expect(chunks.map((chunk) => chunk.prompt_progress !== undefined).indexOf(true)).toBe(0);
    expect(chunks.filter((chunk) => chunk.prompt_progress)).toHaveLength(1);
    expect(chunks.filter((chunk) => chunk.timings)).toEqual([chunks.at(-1)]);
  });
});

describe('chat stream with logprobs', () => {
  it('has the logprobs of each text in the chunk of that text', async () => {
    const events = [
      progress(1, 1),
      { ...text('Hi'), logprobs: [tokenLogprob('H', 'h'), tokenLogprob('i')] },
      text('!'),
      finish(),
      done(),
    ];
    const logprobs = chunksOf(await stream(streamOf(events))).map(({ choices }) => choices[0]?.logprobs);
    expect(logprobs).toMatchObject([null, { content: [{ token: 'H' }, { token: 'i' }] }, null, null]);
  });
});
