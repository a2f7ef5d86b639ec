import { describe, expect, it } from 'vitest';
import { mergeGenerations } from '../../../src/api/completions/merge.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { createEventQueue } from '../../../src/wire/event-queue.ts';
import { collect, done, failing, finish, ORDINARY, progress, streamOf, text } from '../fixtures.ts';

const merge = (generations: AsyncIterable<GenerationEvent>[], choices = 1, runs = new AbortController()) =>
  mergeGenerations(generations, choices, runs);

/** Makes a generation that runs until it is cancelled. */
function endless(runs: AbortController): AsyncIterable<GenerationEvent> {
  const queue = createEventQueue<GenerationEvent>();
  runs.signal.addEventListener('abort', () => queue.end());
  return queue;
}

describe('merged generations', () => {
  it('are the generation itself if there is only one', async () => {
    expect(await collect(merge([streamOf(ORDINARY)]))).toEqual(ORDINARY);
  });

  it('number the choices of all', async () => {
    const one = [text('a', 0), text('b', 1), finish('stop', 0), finish('length', 1), done()];
    const events = await collect(merge([streamOf(one), streamOf(one), streamOf(one)], 2));
    for (const index of [0, 1, 2]) {
      expect(events).toContainEqual(text('a', 2 * index));
      expect(events).toContainEqual(text('b', 2 * index + 1));
      expect(events).toContainEqual(finish('stop', 2 * index));
      expect(events).toContainEqual(finish('length', 2 * index + 1));
    }
  });

  it('emit their events as they come, not one generation after the other', async () => {
    const [first, second] = [createEventQueue<GenerationEvent>(), createEventQueue<GenerationEvent>()];
    const events = merge([first, second])[Symbol.asyncIterator]();
    second.push(text('b'));
    expect((await events.next()).value).toEqual(text('b', 1));
    first.push(text('a'));
    expect((await events.next()).value).toEqual(text('a', 0));
  });

  it('are done when all are, with the sums of their tokens and the longest of their times', async () => {
    const events = await collect(
      merge([
        streamOf([done({ promptTokens: 3, cachedTokens: 1, completionTokens: 5, promptMs: 7, predictedMs: 90 })]),
        streamOf([done({ promptTokens: 4, cachedTokens: 0, completionTokens: 6, promptMs: 8, predictedMs: 10 })]),
      ]),
    );
    expect(events).toEqual([
      { kind: 'done', promptTokens: 7, cachedTokens: 1, completionTokens: 11, promptMs: 8, predictedMs: 90 },
    ]);
  });

  it('count the guesses of all that have made some', async () => {
    const guessing = (made: number, right: number) => streamOf([done({ guesses: { made, right } })]);
    const [all] = await collect(merge([guessing(5, 3), streamOf([done()]), guessing(4, 4)]));
    expect(all).toMatchObject({ guesses: { made: 9, right: 7 } });
  });

  it('are not done if one of them is not', async () => {
    const events = await collect(merge([streamOf([done()]), streamOf([text('a')])]));
    expect(events.filter(({ kind }) => kind === 'done')).toEqual([]);
  });

  it('add their progress up', async () => {
    const events = await collect(merge([streamOf([progress(5, 10, 2), done()]), streamOf([progress(3, 4), done()])]));
    expect(events).toContainEqual(progress(8, 14, 2));
  });

  it('fail with the first error, and the others are cancelled', async () => {
    const runs = new AbortController();
    const merged = merge([endless(runs), failing([text('a')], new Error('broken'))], 1, runs);
    await expect(collect(merged)).rejects.toThrow('broken');
    expect(runs.signal.aborted).toBe(true);
  });

  it('fail with the first error if several fail', async () => {
    const merged = merge([failing([], new Error('one')), failing([], new Error('two'))]);
    await expect(collect(merged)).rejects.toThrow('one');
  });

  it('are cancelled when the reader stops', async () => {
    const runs = new AbortController();
    for await (const _ of merge([streamOf([text('a')]), endless(runs)], 1, runs)) break;
    expect(runs.signal.aborted).toBe(true);
  });
});
