import { describe, expect, it } from 'vitest';
import type { GenerationOptions } from '../../../src/engine/native/generation.ts';
import type { Token } from '../../../src/engine/native/llama.ts';
import { finish, text as textOf, tokenLogprob } from '../../core/api/fixtures.ts';
import { createFakeSlot, createFakeSource, createRun, encode, replyOf, runToEnd } from './fake-generation.ts';

/** A piece of text, and the number of tokens since the one before. */
const text = (piece: string, choice = 0, tokens = 1) => ({ ...textOf(piece, choice), tokens });
const tokensOf = (...texts: string[]): number[][] => texts.map(encode);
const promptOf = (length: number) => Array.from({ length }, (_, index) => (1000 + index) as Token);

/** Returns the events of a generation of these tokens. */
async function say(pieces: number[][], more: Partial<GenerationOptions> = {}) {
  return (await runToEnd(createRun(pieces, more))).events;
}

describe('a prompt', () => {
  it('is evaluated in the given chunks, of which the last gives the first token', async () => {
    const { slot, evaluated } = createFakeSlot();
    const prefilled: number[] = [];
    const run = createRun(tokensOf('a', 'b'), {
      slot,
      prompt: promptOf(5),
      onPrefill: (count) => prefilled.push(count),
    });
    expect(run.generation.pendingPrompt).toBe(5);
    await run.generation.step(2);
    expect(run.generation.pendingPrompt).toBe(3);
    await run.generation.step(2);
    expect(run.events).toEqual([]);
    await run.generation.step(1);
    expect(run.generation.pendingPrompt).toBe(0);
    expect(run.events).toEqual([text('a')]);
    expect(evaluated).toEqual([
      [1000, 1001],
      [1002, 1003],
    ]);
    expect(run.source.given).toEqual([[1004]]);
    expect(prefilled).toEqual([2, 4, 5]);
  });

  it('is evaluated from where the cache ends', async () => {
    const { slot, evaluated } = createFakeSlot();
    const run = createRun(tokensOf('a'), { slot, prompt: promptOf(4), cached: 3 });
    expect(run.generation.pendingPrompt).toBe(1);
    await runToEnd(run);
    expect(evaluated).toEqual([]);
    expect(run.source.given[0]).toEqual([1003]);
  });

  it('waits when it has no share of a step', async () => {
    const { slot, evaluated } = createFakeSlot();
    const run = createRun(tokensOf('a'), { slot, prompt: promptOf(4) });
    await run.generation.step(0);
    expect(run.generation.pendingPrompt).toBe(4);
    expect([evaluated, run.source.given]).toEqual([[], []]);
  });
});

describe('a reply', () => {
  it('is one token per step, each drawn after the previous one was evaluated, until the model ends its turn', async () => {
    const history = promptOf(1);
    const run = createRun(tokensOf('Hel', 'lo'), { prompt: promptOf(1), history });
    await runToEnd(run);
    expect(run.events).toEqual([text('Hel'), text('lo'), finish('stop')]);
    expect(run.source.given).toEqual([[1000], [0], [1]]);
    expect(history).toEqual([1000, 0, 1]);
  });

  it('has a count of its tokens, and closes its source once', async () => {
    const before = performance.now();
    const { outcomes, source } = await runToEnd(createRun(tokensOf('a', 'b', 'c')));
    expect(outcomes).toEqual([{ outcome: { tokens: 3, firstTokenAt: expect.any(Number) }, error: undefined }]);
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
    expect(source.given).toHaveLength(2);
  });

  it('ends with length when the context has no place for another token', async () => {
    const { slot, sequence } = createFakeSlot({ used: 7, contextSize: 10 });
    const run = createRun(tokensOf('a', 'b', 'c', 'd'), { slot });
    sequence.nextTokenIndex = 8;
    await run.generation.step(1);
    expect(run.generation.finished).toBe(false);
    sequence.nextTokenIndex = 9;
    await run.generation.step(0);
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
    expect(source.given).toHaveLength(3);
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

describe('a cancelled generation', () => {
  it('ends at its next step without another event', async () => {
    const cancel = new AbortController();
    const run = createRun(tokensOf('a', 'b'), { signal: cancel.signal });
    await run.generation.step(1);
    cancel.abort();
    await run.generation.step(0);
    expect(run.generation.finished).toBe(true);
    expect(run.events).toEqual([text('a')]);
    expect(run.outcomes).toEqual([{ outcome: null, error: undefined }]);
    expect(run.source).toMatchObject({ closed: 1, given: [[100]] });
  });

  it('ends even while its prompt waits for a share', async () => {
    const run = createRun(tokensOf('a'), { prompt: promptOf(9), signal: AbortSignal.abort() });
    await run.generation.step(0);
    expect(run.outcomes).toEqual([{ outcome: null, error: undefined }]);
  });

  it('emits nothing of the token that was drawn when it was cancelled', async () => {
    const cancel = new AbortController();
    const { source } = createFakeSource(2);
    const run = createRun(tokensOf('a', 'b'), {
      signal: cancel.signal,
      source: {
        ...source,
        async next(unevaluated) {
          cancel.abort();
          return source.next(unevaluated);
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
    const next = () => Promise.reject(broken);
    const run = await runToEnd(createRun([], { source: { ...source, next } }));
    expect(run.events).toEqual([]);
    expect(run.outcomes).toEqual([{ outcome: null, error: broken }]);
  });

  it('reports an error of its prompt as well', async () => {
    const { slot } = createFakeSlot();
    const evaluate = () => Promise.reject(broken);
    const run = createRun([], { slot: { ...slot, evaluate }, prompt: promptOf(4) });
    await run.generation.step(2);
    expect(run.outcomes).toEqual([{ outcome: null, error: broken }]);
  });
});
