import { describe, expect, it } from 'vitest';
import { type ChatStreamOptions, chatStream } from '../../../src/core/api/chat-stream.ts';
import { completionHead } from '../../../src/core/api/completion.ts';
import { applyOverflowPolicy } from '../../../src/core/api/overflow.ts';
import type { Ping } from '../../../src/core/api/pings.ts';
import { errorBody, overloaded, serverError } from '../../../src/core/errors.ts';
import type { GenerationEvent } from '../../../src/core/events.ts';
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
  streamOf,
  text,
} from './fixtures.ts';

const head = completionHead('tiny', 'paddock-test', 0);
const plain: ChatStreamOptions = { includeUsage: false, returnProgress: false, onFailure: () => {} };
const ping: Ping = { kind: 'ping' };

/** The whole SSE text of these events. */
async function stream(events: AsyncGenerator<GenerationEvent | Ping>, options: Partial<ChatStreamOptions> = {}) {
  const first = await events.next();
  return (await collect(chatStream(first, events, head, { ...plain, ...options }))).join('');
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
    'has the finish reason %s in the last chunk alone',
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

  it('has the final progress of the prompt in the first chunk, and nowhere else', async () => {
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

  it('begins with the role even when the last progress that an engine tells falls short', async () => {
    const [first] = chunksOf(await stream(streamOf([progress(1, 3), text('a'), finish(), done()])));
    expect(first?.choices[0]?.delta.role).toBe('assistant');
  });

  it('is whole for a prompt that does not fit: the role, the finish reason length, [DONE]', async () => {
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
  it('says the error in an event and ends without [DONE]', async () => {
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

  it('says nothing of the inside', async () => {
    const sse = await stream(failing([progress(1, 1)], new Error('secret')));
    expect(parseSse(sse).at(-1)).toEqual(errorBody(serverError().data));
    expect(sse).not.toContain('secret');
  });

  it('does not look whole when the generation ends without its last event', async () => {
    const events = parseSse(await stream(streamOf([progress(1, 1), text('Hel')])));
    expect(events).not.toContain('[DONE]');
    expect(events.at(-1)).toEqual(errorBody(serverError().data));
  });
});

describe('chat stream that is ended early', () => {
  it('ends the generation', async () => {
    let ended = false;
    async function* events() {
      try {
        yield* ORDINARY;
      } finally {
        ended = true;
      }
    }
    const rest = events();
    for await (const _ of chatStream(await rest.next(), rest, head, plain)) break;
    expect(ended).toBe(true);
  });
});
