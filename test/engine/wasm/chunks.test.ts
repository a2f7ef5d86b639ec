import { describe, expect, it } from 'vitest';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { TextRequest } from '../../../src/engine/engine.ts';
import { type Chunk, ChunkReader } from '../../../src/engine/wasm/chunks.ts';
import { finish, progress, text, tokenLogprob } from '../../api/fixtures.ts';
import { greedy } from '../../kit/generation.ts';

const REQUEST: TextRequest = {
  prompt: 'Hello',
  media: [],
  grammar: null,
  marks: [],
  sampling: greedy,
  stop: [],
  banned: [],
  maxTokens: null,
  cachePrompt: true,
  choices: 1,
  logprobs: null,
};

const timings = (tokens: number) => ({ cache_n: 1, prompt_n: 2, prompt_ms: 3, predicted_n: tokens, predicted_ms: 4 });

/** A chunk in llama-server's form, for the token with this number. */
const piece = (content: string, tokens = 1): Chunk => ({
  choices: [{ text: content, finish_reason: null }],
  timings: timings(tokens),
});
const likely = (content: string, ...others: string[]): Chunk => {
  const named = ({ text: token, bytes, logprob }: ReturnType<typeof tokenLogprob>) => ({ token, bytes, logprob });
  const top = others.map((other) => named(tokenLogprob(other)));
  const logprobs = { content: [{ ...named(tokenLogprob(content)), top_logprobs: top }] };
  return { choices: [{ text: content, logprobs, finish_reason: null }] };
};
const end = (finish_reason: 'stop' | 'length'): Chunk => ({ choices: [{ text: '', finish_reason }] });
const last = (tokens: number): Chunk => ({ choices: [], usage: {}, timings: timings(tokens) });

/** Reads chunks as the engine does. */
function read(chunks: Chunk[], request: Partial<TextRequest> = {}, choice = 0) {
  const events: GenerationEvent[] = [];
  const reader = new ChunkReader({ choice, request: { ...REQUEST, ...request }, emit: (event) => events.push(event) });
  for (const chunk of chunks) reader.take(chunk);
  return { events, reader };
}

/** The events without the counts of tokens, which a test of their own holds. */
const eventsOf = (...args: Parameters<typeof read>) => withoutCounts(read(...args).events);

function withoutCounts(events: GenerationEvent[]): GenerationEvent[] {
  return events.map((event) => {
    if (event.kind !== 'text') return event;
    const { tokens: _, ...others } = event;
    return others;
  });
}

const stoppedAt = (stopSequence: string): GenerationEvent => ({ ...finish('stop'), stopSequence });

describe('the chunks of a reply', () => {
  const prompted: Chunk = {
    choices: [],
    prompt_progress: { cache: 1, processed: 2, total: 3, time_ms: 5 },
  };

  it('give the progress of the prompt, only for the first choice', () => {
    expect(eventsOf([prompted])).toEqual([progress(2, 3, 1)]);
    expect(eventsOf([prompted], {}, 1)).toEqual([]);
  });

  it('give its text and its finish reason', () => {
    expect(eventsOf([piece('Hel'), piece('lo'), end('length'), last(2)], {}, 3)).toEqual([
      text('Hel', 3),
      text('lo', 3),
      finish('length', 3),
    ]);
  });

  it('give the number of its tokens, without the one that ends the turn', () => {
    expect(read([piece('a'), end('length'), last(2)]).reader.outcome).toEqual({ tokens: 2, timings: timings(2) });
    expect(read([piece('a'), end('stop'), last(2)]).reader.outcome).toEqual({ tokens: 1, timings: timings(2) });
  });

  it('show when the first has come, and when the last has', () => {
    expect(read([]).reader).toMatchObject({ started: false, outcome: null });
    expect(read([prompted]).reader).toMatchObject({ started: true, outcome: null });
    expect(read([piece('a'), end('stop')]).reader.outcome).toBeNull();
  });
});

describe('the tokens of each text', () => {
  it('are those since the text before, also those of a text that was held back', () => {
    const { events } = read([piece('one '), piece('EN'), piece('d'), end('length')], { stop: ['END'] });
    expect(events.map((event) => (event.kind === 'text' ? event.tokens : null))).toEqual([1, 2, null]);
  });
});

describe('a stop sequence', () => {
  it('ends the reply before it, with the tokens so far, whatever comes after', () => {
    const { events, reader } = read([piece('one E', 1), piece('ND', 2), piece(' two', 3), end('length'), last(3)], {
      stop: ['END'],
    });
    expect(withoutCounts(events)).toEqual([text('one '), stoppedAt('END')]);
    expect(reader.outcome).toEqual({ tokens: 2, timings: timings(2) });
  });

  it('that never comes costs no text', () => {
    const stop = ['END'];
    expect(eventsOf([piece('one EN'), end('length')], { stop })).toEqual([text('one '), text('EN'), finish('length')]);
  });
});

describe('a banned text', () => {
  it('ends the reply before it with content_filter, in any case', () => {
    const events = eventsOf([piece('one sEc'), piece('RET two')], { banned: ['SecreT'] });
    expect(events).toEqual([text('one '), finish('content_filter')]);
  });

  it('that never comes costs no text', () => {
    const request = { banned: ['secret'], stop: ['END'] };
    expect(eventsOf([piece('one secr'), piece('EN'), end('stop')], request)).toEqual([
      text('one '),
      text('secr'),
      text('EN'),
      finish('stop'),
    ]);
  });

  it('leaves the text before it that only looked like a stop sequence', () => {
    const events = eventsOf([piece('one EN'), piece('secret')], { banned: ['secret'], stop: ['END'] });
    expect(events).toEqual([text('one '), text('EN'), finish('content_filter')]);
  });

  it('has no effect after a stop sequence', () => {
    expect(eventsOf([piece('END secret')], { banned: ['secret'], stop: ['END'] })).toEqual([stoppedAt('END')]);
  });
});

describe('the log probability of tokens', () => {
  it('comes with their text and the requested number of alternatives', () => {
    expect(eventsOf([likely('a', 'a', 'b', 'c')], { logprobs: 2 })).toEqual([
      { ...text('a'), logprobs: [tokenLogprob('a', 'a', 'b')] },
    ]);
    expect(eventsOf([likely('a', 'a')], { logprobs: 0 })).toEqual([{ ...text('a'), logprobs: [tokenLogprob('a')] }]);
  });

  it('comes with the text that was held back', () => {
    const events = eventsOf([likely('E'), likely('N'), likely('d')], { logprobs: 0, stop: ['END'] });
    expect(events).toEqual([{ ...text('ENd'), logprobs: ['E', 'N', 'd'].map((token) => tokenLogprob(token)) }]);
  });
});
