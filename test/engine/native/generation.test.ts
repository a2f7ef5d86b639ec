import { describe, expect, it } from 'vitest';
import type { Gain, TokenSource } from '../../../src/engine/native/draw/token-source.ts';
import type { GenerationOptions } from '../../../src/engine/native/generation.ts';
import { CacheFull } from '../../../src/engine/native/llama/context.ts';
import { finish, text as textOf, tokenLogprob } from '../../api/fixtures.ts';
import {
  createFakeSequence,
  createFakeSource,
  createRun,
  encode,
  replyOf,
  runToEnd,
  step,
} from './step/fake-generation.ts';

/** A piece of text, and the number of tokens since the one before. */
const text = (piece: string, choice = 0, tokens = 1) => ({ ...textOf(piece, choice), tokens });
const tokensOf = (...texts: string[]): number[][] => texts.map(encode);
const promptOf = (length: number) => Array.from({ length }, (_, index) => 1000 + index);

/** Returns the events of a generation of these tokens. */
async function say(pieces: number[][], more: Partial<GenerationOptions> = {}) {
  return (await runToEnd(createRun(pieces, more))).events;
}

describe('a prompt', () => {
  it('is evaluated in the given chunks, of which the last gives the first token', async () => {
    const prefilled: number[] = [];
    const onPrefill = async (count: number) => void prefilled.push(count);
    const run = createRun(tokensOf('a', 'b'), { prompt: promptOf(5), onPrefill });
    expect(run.generation.demand).toMatchObject({ prompt: 5, reply: 0 });
    expect(await step(run, 2)).toEqual([1000, 1001]);
    expect(run.generation.demand).toMatchObject({ prompt: 3, reply: 0 });
    expect(await step(run, 2)).toEqual([1002, 1003]);
    expect([run.events, run.source.places]).toEqual([[], []]);
    expect(await step(run, 1)).toEqual([1004]);
    expect(run.generation.demand).toMatchObject({ prompt: 0, reply: 1 });
    expect(run.events).toEqual([text('a')]);
    expect(run.source.places).toEqual([[0]]);
    expect(prefilled).toEqual([2, 4, 5]);
  });

  it('that a reply goes on with tells whether its first word has a space before it', async () => {
    const textOf = (_: unknown, before: unknown[]) => (before.length > 0 ? ' a' : 'a');
    const prompt = promptOf(4);
    expect(await say(tokensOf('a'), { prompt, before: prompt, textOf })).toContainEqual(text(' a'));
    expect(await say(tokensOf('a'), { prompt, textOf })).toContainEqual(text('a'));
  });

  it('is evaluated from where the cache ends', async () => {
    const sequence = createFakeSequence({ used: 3 });
    const run = createRun(tokensOf('a'), { sequence, prompt: promptOf(4), cached: 3 });
    expect(run.generation.demand.prompt).toBe(1);
    expect(run.generation.begin(1)).toEqual({ sequence: 0, at: 3, tokens: [1003], logitsAt: [0], highest: 1 });
  });

  it('pauses where it has to, until it may go on', async () => {
    let goOn = () => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const onPrefill = async (count: number) => {
      if (count === 3) await paused;
    };
    const pauseAt = () => (run.generation.demand.prompt > 2 ? 3 : Number.POSITIVE_INFINITY);
    const run = createRun(tokensOf('a', 'b'), { prompt: promptOf(5), onPrefill, pauseAt });
    const stepped = step(run, 5);
    expect(await Promise.race([stepped, new Promise((resolve) => setTimeout(resolve, 20, 'pauses'))])).toBe('pauses');
    goOn();
    expect(await stepped).toEqual([1000, 1001, 1002]);
    expect(await step(run, 5)).toEqual([1003, 1004]);
  });

  it('waits when it has no share of a step', async () => {
    const run = createRun(tokensOf('a'), { prompt: promptOf(4) });
    expect(await step(run, 0)).toBeNull();
    expect(run.generation.demand.prompt).toBe(4);
  });
});

describe('a reply', () => {
  it('has as many guessed tokens evaluated as it is granted, and then any tokens up to its room', async () => {
    const guess = { from: 1, share: 0.9, most: 15 };
    const { source } = createFakeSource(9);
    const guessing = { ...source, propose: async () => ({ tokens: [5, 6, 7], logitsAt: [0, 1, 2], guess }) };
    const run = createRun(tokensOf('a'), { source: guessing, sequence: createFakeSequence({ room: 6 }) });
    await step(run);
    expect(run.generation.demand).toMatchObject({ reply: 1, offer: { sequence: 0, tokens: 2, share: 0.9 } });
    const at = { sequence: 0, at: 1, highest: 1 };
    expect(run.generation.begin(0)).toEqual({ ...at, tokens: [5], logitsAt: [0] });
    expect(run.generation.begin(1)).toEqual({ ...at, tokens: [5, 6], logitsAt: [0, 1] });
    expect(run.generation.begin(4)).toEqual({ ...at, tokens: [5, 6, 7, 0, 0], logitsAt: [0, 1, 2] });
    expect(run.generation.begin(9)).toEqual({ ...at, tokens: [5, 6, 7, 0, 0], logitsAt: [0, 1, 2] });
  });

  it('has no more tokens after its own than its sequence can drop', async () => {
    const guess = { from: 1, share: 0.9, most: 3 };
    const { source } = createFakeSource(9);
    const guessing = { ...source, propose: async () => ({ tokens: [5, 6], logitsAt: [0, 1], guess }) };
    const run = createRun(tokensOf('a'), { source: guessing, sequence: createFakeSequence({ room: 16 }) });
    await step(run);
    expect(run.generation.begin(9)?.tokens).toEqual([5, 6, 0, 0]);
  });

  it('is one token per step, each drawn after the previous one was evaluated, until the model ends its turn', async () => {
    const sequence = createFakeSequence();
    const run = createRun(tokensOf('Hel', 'lo'), { prompt: promptOf(1), sequence });
    expect([await step(run), await step(run), await step(run)]).toEqual([[1000], [0], [1]]);
    expect(run.generation.finished).toBe(true);
    expect(run.events).toEqual([text('Hel'), text('lo'), finish('stop')]);
    expect(sequence.tokens).toEqual([1000, 0, 1]);
  });

  it('has a count of its tokens, and closes its source once', async () => {
    const before = performance.now();
    const { outcomes, source } = await runToEnd(createRun(tokensOf('a', 'b', 'c')));
    const guesses = { made: 0, right: 0 };
    expect(outcomes).toEqual([{ outcome: { tokens: 3, guesses, firstTokenAt: expect.any(Number) }, error: undefined }]);
    expect(outcomes[0]?.outcome?.firstTokenAt).toBeGreaterThanOrEqual(before);
    expect(source.closed).toBe(1);
  });

  it('has the index of its choice', async () => {
    expect(await say(tokensOf('a'), { choice: 3 })).toEqual([text('a', 3), finish('stop', 3)]);
  });

  it('is empty if the model ends its turn at once', async () => {
    expect(await say([])).toEqual([finish('stop')]);
  });

  it('ends with length at its limit of tokens', async () => {
    const { events, outcomes, source } = await runToEnd(createRun(tokensOf('a', 'b', 'c'), { maxTokens: 2 }));
    expect(replyOf(events)).toEqual({ text: 'ab', reasons: ['length'] });
    expect(outcomes[0]?.outcome?.tokens).toBe(2);
    expect(source.places).toHaveLength(2);
  });

  it('ends with length when the context has no place for another token', async () => {
    const run = createRun(tokensOf('a', 'b', 'c', 'd'), {
      prompt: promptOf(8),
      sequence: createFakeSequence({ room: 10 }),
    });
    await step(run);
    expect(run.generation.finished).toBe(false);
    await step(run);
    expect(replyOf(run.events)).toEqual({ text: 'ab', reasons: ['length'] });
  });

  it('leaves out an incomplete character at its end', async () => {
    const events = await say([encode('a'), encode('😀').slice(0, 3)], { maxTokens: 2 });
    expect(replyOf(events)).toEqual({ text: 'a', reasons: ['length'] });
  });
});

describe('a reply with stop sequences and banned texts', () => {
  it('ends before a stop sequence, wherever the tokens split it', async () => {
    const { events, source } = await runToEnd(createRun(tokensOf('one E', 'N', 'D two', ' three'), { stop: ['END'] }));
    expect(replyOf(events)).toEqual({ text: 'one ', reasons: ['stop'] });
    expect(source.places).toHaveLength(3);
  });

  it('ends with content_filter before a banned text of any case', async () => {
    const events = await say(tokensOf('one S', 'eC', 'reT two', ' three'), { banned: ['SECret'] });
    expect(replyOf(events)).toEqual({ text: 'one ', reasons: ['content_filter'] });
  });

  it('ends at the one that comes first', async () => {
    const both = { stop: ['END'], banned: ['secret'] };
    expect(replyOf(await say(tokensOf('a END secret'), both))).toEqual({ text: 'a ', reasons: ['stop'] });
    expect(replyOf(await say(tokensOf('a secret END'), both))).toEqual({ text: 'a ', reasons: ['content_filter'] });
  });

  it.each(['stop', 'length'] as const)('has all held back text at its end if it ends with %s', async (reason) => {
    const pieces = tokensOf('one', ' secre', 'EN');
    const events = await say(pieces, {
      stop: ['END'],
      banned: ['secret'],
      maxTokens: reason === 'length' ? 3 : null,
    });
    expect(replyOf(events)).toEqual({ text: 'one secreEN', reasons: [reason] });
  });

  it('has the text that only looked like a stop sequence, before a banned text', async () => {
    const events = await say(tokensOf('one EN', 'secret'), { stop: ['END'], banned: ['secret'] });
    expect(replyOf(events)).toEqual({ text: 'one EN', reasons: ['content_filter'] });
  });
});

describe('the log probability of tokens', () => {
  /** Runs a reply of these tokens, each with a log probability. */
  async function likely(pieces: string[], more: Partial<GenerationOptions> = {}) {
    const { source } = createFakeSource(pieces.length, () => ({ logprob: -0.5, alternatives: [] }));
    const toLogprob: GenerationOptions['toLogprob'] = ({ token }) => tokenLogprob(pieces[token] ?? '');
    return say(tokensOf(...pieces), { source, toLogprob, ...more });
  }

  it('comes with the text that they complete', async () => {
    expect(await likely(['a', 'b'])).toEqual([
      { ...text('a'), logprobs: [tokenLogprob('a')] },
      { ...text('b'), logprobs: [tokenLogprob('b')] },
      finish('stop'),
    ]);
  });

  it('comes with the text that was held back, for all of its tokens', async () => {
    expect(await likely(['a', 'E', 'N', 'd'], { stop: ['END'] })).toEqual([
      { ...text('a'), logprobs: [tokenLogprob('a')] },
      { ...text('ENd', 0, 3), logprobs: ['E', 'N', 'd'].map((token) => tokenLogprob(token)) },
      finish('stop'),
    ]);
  });
});

describe('a reply that gains several tokens in one step', () => {
  /** Makes a source that guesses the tokens 1 to 3 after token 0, and of which the model then agrees with the first `right`. */
  function guessing(right: number, ended = false): { source: TokenSource; rooms: number[] } {
    const gains: Gain[] = [
      { tokens: [{ token: 0 }], kept: 0, ended: false },
      {
        tokens: Array.from({ length: ended ? right : right + 1 }, (_, index) => ({ token: index + 1 })),
        kept: right + 1,
        ended,
      },
    ];
    const rooms: number[] = [];
    const source: TokenSource = {
      highest: 1,
      opening: [],
      guesses: { made: 0, right: 0 },
      async propose(room) {
        rooms.push(room);
        const tokens = [0, 1, 2, 3].slice(0, room + 1);
        return { tokens, logitsAt: [...tokens.keys()] };
      },
      draw: async () => gains.shift() ?? { tokens: [], kept: 0, ended: true },
      close: () => {},
    };
    return { source, rooms };
  }
  const pieces = tokensOf('a', 'b', 'c', 'd', 'e');

  it('says them all, and keeps of the cache what is right', async () => {
    const sequence = createFakeSequence();
    const run = createRun(pieces, { ...guessing(2), sequence });
    await step(run);
    expect(run.generation.demand.reply).toBe(4);
    expect(await step(run)).toEqual([0, 1, 2, 3]);
    expect(replyOf(run.events).text).toBe('abcd');
    expect(sequence.tokens).toEqual([100, 0, 1, 2]);
  });

  it('may end its turn after them', async () => {
    const sequence = createFakeSequence();
    const run = createRun(pieces, { ...guessing(2, true), sequence });
    await step(run);
    await step(run);
    expect(replyOf(run.events)).toEqual({ text: 'abc', reasons: ['stop'] });
    expect(sequence.tokens).toEqual([100, 0, 1, 2]);
  });

  it('drops those after a stop sequence, and what was evaluated for them', async () => {
    const sequence = createFakeSequence();
    const run = await runToEnd(createRun(pieces, { ...guessing(3), sequence, stop: ['c'] }));
    expect(replyOf(run.events)).toEqual({ text: 'ab', reasons: ['stop'] });
    expect(run.outcomes[0]?.outcome?.tokens).toBe(3);
    expect(sequence.tokens).toEqual([100, 0, 1, 2]);
  });

  it.each([
    ['its limit of tokens', { maxTokens: 3 }, 1],
    ['its window', { sequence: createFakeSequence({ room: 4 }) }, 1],
  ])('guesses no more than %s allows', async (_, limit, most) => {
    const { source, rooms } = guessing(0);
    const run = createRun(pieces, { source, ...limit });
    await step(run);
    expect(rooms).toEqual([most]);
  });
});

describe('a reply that has to begin in one way', () => {
  const pieces = tokensOf('{', '"a"', ':', '1');

  function opening(...tokens: number[]) {
    const gained = [...tokens, 3].map((token) => ({ token: token }));
    const places: number[][] = [];
    const source: TokenSource = {
      highest: 1,
      opening: tokens,
      guesses: { made: 0, right: 0 },
      propose: async () => ({ tokens: [3], logitsAt: [0] }),
      async draw(given) {
        places.push([...given]);
        return places.length === 1 ? { tokens: gained, kept: 0, ended: false } : { tokens: [], kept: 1, ended: true };
      },
      close: () => {},
    };
    return { source, places };
  }

  it('has its beginning evaluated with the prompt, and says it with the first token that is drawn', async () => {
    const { source, places } = opening(0, 1, 2);
    const prefilled: number[] = [];
    const sequence = createFakeSequence();
    const onPrefill = async (count: number) => void prefilled.push(count);
    const run = createRun(pieces, { source, sequence, prompt: promptOf(2), onPrefill, journal: true });
    expect(run.generation.demand.prompt).toBe(5);
    expect(await step(run, 3)).toEqual([1000, 1001, 0]);
    expect(run.events).toEqual([]);
    expect(await step(run, 3)).toEqual([1, 2]);
    expect(places).toEqual([[1]]);
    expect(prefilled).toEqual([2]);
    expect(replyOf(run.events).text).toBe('{"a":1');
    expect(run.events.flatMap((event) => (event.kind === 'drawn' ? [event.token] : []))).toEqual([0, 1, 2, 3]);
    await runToEnd(run);
    expect(run.outcomes[0]?.outcome?.tokens).toBe(4);
    expect(sequence.tokens).toEqual([1000, 1001, 0, 1, 2, 3]);
  });

  it('ends within it at a stop sequence', async () => {
    const run = await runToEnd(createRun(pieces, { ...opening(0, 1, 2), stop: ['a'] }));
    expect(replyOf(run.events)).toEqual({ text: '{"', reasons: ['stop'] });
    expect(run.outcomes[0]?.outcome?.tokens).toBe(2);
  });
});

describe('a cancelled generation', () => {
  it('ends at its next step without another event', async () => {
    const cancel = new AbortController();
    const run = createRun(tokensOf('a', 'b'), { signal: cancel.signal });
    await step(run);
    cancel.abort();
    expect(await step(run)).toBeNull();
    expect(run.generation.finished).toBe(true);
    expect(run.events).toEqual([text('a')]);
    expect(run.outcomes).toEqual([{ outcome: null, error: undefined }]);
    expect(run.source).toMatchObject({ closed: 1, places: [[0]] });
  });

  it('ends even while its prompt waits for a share', async () => {
    const run = createRun(tokensOf('a'), { prompt: promptOf(9), signal: AbortSignal.abort() });
    await step(run, 0);
    expect(run.outcomes).toEqual([{ outcome: null, error: undefined }]);
  });

  it('emits nothing of the token that was drawn when it was cancelled', async () => {
    const cancel = new AbortController();
    const { source } = createFakeSource(2);
    const run = createRun(tokensOf('a', 'b'), {
      signal: cancel.signal,
      source: {
        ...source,
        async draw(places) {
          cancel.abort();
          return source.draw(places);
        },
      },
    });
    await runToEnd(run);
    expect(run.events).toEqual([]);
    expect(run.outcomes).toEqual([{ outcome: null, error: undefined }]);
  });
});

describe('a generation that fails', () => {
  const broken = new Error('broken');

  it('reports the error and throws nothing, so that the others go on', async () => {
    const { source } = createFakeSource(0);
    const draw = () => Promise.reject(broken);
    const run = await runToEnd(createRun([], { source: { ...source, draw } }));
    expect(run.events).toEqual([]);
    expect(run.outcomes).toEqual([{ outcome: null, error: broken }]);
  });

  it('ends with a forward pass that fails, and trusts nothing that is in the cache', async () => {
    const sequence = createFakeSequence({ used: 5 });
    const run = createRun([], { sequence, prompt: promptOf(4) });
    run.generation.begin(2);
    await run.generation.fail(broken);
    expect(run.outcomes).toEqual([{ outcome: null, error: broken }]);
    expect(sequence.length).toBe(0);
  });
});

describe('a generation that gives up its room', () => {
  it('evaluates what it held again, in the shares that it is granted, and goes on as if nothing had been', async () => {
    const sequence = createFakeSequence();
    const run = createRun(['a', 'b', 'c'].map(encode), { sequence, prompt: promptOf(5) });
    const { generation } = run;
    const step = async (granted: number) => {
      const part = generation.begin(granted);
      await generation.end(part?.logitsAt.map((_, index) => index) ?? []);
      return part;
    };
    await step(5);
    await step(0);
    expect(sequence.length).toBe(6);
    await generation.retreat?.();
    expect(sequence.length).toBe(0);
    expect(generation.demand).toMatchObject({ prompt: 6, reply: 0 });
    expect(await step(4)).toMatchObject({ at: 0, tokens: { length: 4 }, logitsAt: [] });
    await generation.retreat?.();
    expect(await step(4)).toMatchObject({ at: 0, tokens: { length: 4 }, logitsAt: [] });
    expect(await step(4)).toMatchObject({ at: 4, tokens: { length: 2 }, logitsAt: [] });
    expect(generation.demand).toMatchObject({ prompt: 0, reply: 1 });
    while (!generation.finished) await step(0);
    expect(replyOf(run.events)).toMatchObject({ text: 'abc' });
  });

  it('in the midst of its prompt goes on with the prompt', async () => {
    const sequence = createFakeSequence();
    const run = createRun(['a'].map(encode), { sequence, prompt: promptOf(5) });
    const { generation } = run;
    const step = async (granted: number) => {
      const part = generation.begin(granted);
      await generation.end(part?.logitsAt.map((_, index) => index) ?? []);
      return part?.tokens.length;
    };
    expect(await step(3)).toBe(3);
    await generation.retreat?.();
    expect(await step(8)).toBe(3);
    expect(await step(8)).toBe(2);
    while (!generation.finished) await step(0);
    expect(replyOf(run.events)).toMatchObject({ text: 'a' });
  });

  it('cannot do so with images, which are evaluated with what their encoder gave', () => {
    const media = { awaited: () => undefined, rowsAt: () => null, nextAfter: () => Number.POSITIVE_INFINITY };
    expect(createRun([], { media }).generation.retreat).toBeUndefined();
  });

  it('tells the client that there was no room, if that is how it ends', async () => {
    const run = createRun([], { prompt: promptOf(4) });
    await run.generation.fail(new CacheFull('full'));
    expect(run.outcomes[0]?.error).toMatchObject({ data: { status: 503, code: 'insufficient_memory' } });
  });
});
