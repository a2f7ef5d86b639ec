import { describe, expect, it } from 'vitest';
import { createPrefill, nextChunk, type PrefillOptions } from '../../../src/engine/native/prefill.ts';
import { createFakeSource } from './step/fake-generation.ts';

const promptOf = (length: number) => Array.from({ length }, (_, index) => index);
const FAR = Number.POSITIVE_INFINITY;

describe('the next chunk of a prompt', () => {
  it.each([
    ['is cut at its end', 0, 4, 0, [0, 1, 2, 3], []],
    ['has logits after the last token', 6, FAR, 0, [6, 7], [1]],
    ['has logits after every token that is scored', 2, 5, 32, [2, 3, 4], [0, 1, 2]],
    ['is no longer than what is scored at once', 2, FAR, 2, [2, 3], [0, 1]],
    ['leaves out the last token while it is scored', 5, FAR, 32, [5, 6], [0, 1]],
    ['has the last token by itself after that', 7, FAR, 32, [7], [0]],
  ])('%s', (_, from, end, scored, tokens, logitsAt) => {
    expect(nextChunk(promptOf(8), from, end, scored)).toEqual({ tokens, logitsAt });
  });
});

describe('the prefill', () => {
  const createRun = (more: Partial<PrefillOptions> = {}) => {
    const { source, state } = createFakeSource(1);
    const prefilled: number[] = [];
    const onPrefill = async (evaluated: number) => void prefilled.push(evaluated);
    const options = { prompt: promptOf(8), source, cached: 0, onPrefill, pauseAt: () => FAR, ...more };
    return { prefill: createPrefill(options), prefilled, draws: state.places };
  };

  it.each([
    ['the tokens that a step grants', { count: 3, room: 100, pauseAt: FAR }, [2, 3, 4]],
    ['the place where it has to pause', { count: 3, room: 100, pauseAt: 4 }, [2, 3]],
    ['the room of the sequence', { count: 3, room: 3, pauseAt: FAR }, [2]],
  ])('ends a chunk at %s', (_, { count, room, pauseAt }, tokens) => {
    const { prefill } = createRun({ cached: 2, pauseAt: () => pauseAt });
    expect(prefill.next(count, room).tokens).toEqual(tokens);
  });

  it('draws after the last chunk only', async () => {
    const { prefill, prefilled, draws } = createRun();
    expect(await prefill.take(promptOf(5), [])).toBeNull();
    expect([prefill.left, prefill.firstTokenAt, draws]).toEqual([3, 0, []]);
    expect(await prefill.take(promptOf(3), [9])).toMatchObject({ tokens: [{ token: 0 }] });
    expect([prefill.left, prefilled, draws]).toEqual([0, [5, 8], [[9]]]);
    expect(prefill.firstTokenAt).toBeGreaterThan(0);
  });

  it('goes on with the tokens that a reply has to begin with, which do not count as prompt', async () => {
    const { source } = createFakeSource(1);
    const opening = [50, 51];
    const { prefill, prefilled } = createRun({ source: { ...source, opening } });
    expect(prefill.left).toBe(10);
    await prefill.take(promptOf(8), []);
    expect(prefill.next(8, 100)).toEqual({ tokens: opening, logitsAt: [1] });
    await prefill.take(opening, [0]);
    expect(prefilled).toEqual([8]);
  });
});
