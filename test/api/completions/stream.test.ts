import { describe, expect, it } from 'vitest';
import { createCompletionEncoder } from '../../../src/api/completions/stream.ts';
import type { TextChoice } from '../../../src/api/completions/whole.ts';
import type { GenerationStreamEvent } from '../../../src/api/stream/event-stream.ts';
import { createCompletionHead } from '../../../src/api/stream/usage.ts';
import { done, finish, ORDINARY, progress, text } from '../fixtures.ts';
import { type TextChunk, textChunksOf, textsOf } from './fixtures.ts';

const head = createCompletionHead('cmpl', 'org/"tiny"', 'paddock-test', 1_700_000_000_999);
const PLAIN: TextChoice = { logprobs: false };

interface Options {
  choices: TextChoice[];
  includeUsage: boolean;
  returnProgress: boolean;
}

/** Returns the SSE text of these events. */
function encode(events: GenerationStreamEvent[], options: Partial<Options> = {}): string {
  const { choices, includeUsage, returnProgress } = {
    choices: [PLAIN],
    includeUsage: false,
    returnProgress: false,
    ...options,
  };
  return events.map(createCompletionEncoder(head, choices, { includeUsage, returnProgress })).join('');
}

const chunksOf = (events: GenerationStreamEvent[], options?: Partial<Options>): TextChunk[] =>
  textChunksOf(encode(events, options));

describe('completion stream', () => {
  it('has an id of its own and the time in seconds', () => {
    expect(head).toMatchObject({ created: 1_700_000_000, model: 'org/"tiny"', system_fingerprint: 'paddock-test' });
    expect(head.id).toMatch(/^cmpl-\w+$/);
  });

  it('has the same id, model, time and object in all chunks', () => {
    for (const chunk of chunksOf(ORDINARY, { includeUsage: true, returnProgress: true })) {
      expect(chunk).toMatchObject({ ...head, object: 'text_completion' });
    }
  });

  it('carries the text in increments, then the finish reason', () => {
    expect(chunksOf(ORDINARY).map(({ choices }) => choices)).toEqual([
      [{ index: 0, text: 'Hel', logprobs: null, finish_reason: null }],
      [{ index: 0, text: 'lo', logprobs: null, finish_reason: null }],
      [{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }],
    ]);
  });

  it('has no progress of the prompt, or a chunk for each step if asked to', () => {
    expect(encode([progress(4, 12, 4), progress(12, 12, 4)])).toBe('');
    const chunks = chunksOf([progress(4, 12, 4), progress(12, 12, 4)], { returnProgress: true });
    expect(chunks.map(({ prompt_progress }) => prompt_progress)).toEqual([
      { cache: 4, processed: 4, total: 12, time_ms: 5 },
      { cache: 4, processed: 12, total: 12, time_ms: 5 },
    ]);
    expect(textsOf(chunks)).toEqual(['']);
  });

  it('sends a comment for a ping', () => {
    expect(encode([{ kind: 'ping' }])).toBe(': ping\n\n');
  });

  it('interleaves the choices, each with its index', () => {
    const events = [text('a', 1), text('b', 0), finish('stop', 1), text('c', 0), finish('length', 0), done()];
    const chunks = chunksOf(events, { choices: [PLAIN, PLAIN] });
    expect(textsOf(chunks)).toEqual(['bc', 'a']);
    expect(chunks.flatMap(({ choices }) => choices.map(({ index, finish_reason }) => [index, finish_reason]))).toEqual([
      [1, null],
      [0, null],
      [1, 'stop'],
      [0, null],
      [0, 'length'],
    ]);
  });

  it('has the timings in the last chunk of the last choice', () => {
    const events = [finish('stop', 1), finish('stop', 0), done()];
    const chunks = chunksOf(events, { choices: [PLAIN, PLAIN] });
    expect(chunks.map(({ timings }) => timings?.predicted_n)).toEqual([undefined, 3]);
  });

  it('tells the usage in a chunk without choices, when asked to', () => {
    const events = [text('a'), finish(), done()];
    expect(chunksOf(events, { includeUsage: true }).at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    });
    expect(chunksOf(events).filter(({ usage }) => usage)).toEqual([]);
  });

  it('has the logprobs of the tokens of each chunk', () => {
    const token = (piece: string) => ({ text: piece, bytes: [...Buffer.from(piece)], logprob: -1, alternatives: [] });
    const events = [
      { ...text('Hel'), logprobs: [token('H'), token('el')] },
      { ...text('lo'), logprobs: [token('lo')] },
    ];
    const logprobs = chunksOf(events, { choices: [{ logprobs: true }] }).map(({ choices }) => choices[0]?.logprobs);
    expect(logprobs).toMatchObject([
      { tokens: ['H', 'el'], text_offset: [0, 1] },
      { tokens: ['lo'], text_offset: [3] },
    ]);
  });

  it('throws for an event that only chats have', () => {
    expect(() => encode([{ kind: 'reasoning', choice: 0, text: 'Hm' }])).toThrow('reasoning');
  });
});
