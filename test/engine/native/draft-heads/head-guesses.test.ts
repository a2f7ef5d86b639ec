import { describe, expect, it } from 'vitest';
import { type Going, takeGuessed } from '../../../../src/engine/native/draft-heads/head-guesses.ts';

const [FIRST, ROW] = [new Float32Array([1]), new Float32Array([2])];

/** Makes a request that has these guesses, with a part of two tokens. */
const createGoing = (sequence: number, count: number, guessed: number[] = []): Going => ({
  request: { sequence, drawn: 9, count, guessed },
  part: { sequence, at: 4, tokens: [8, 9], hidden: FIRST },
});

describe('the tokens that a pass has guessed', () => {
  it('are added to their requests, which go on after them with their hidden rows', () => {
    const going = [createGoing(0, 3), createGoing(2, 3, [5])];
    const more = takeGuessed(
      going,
      [6, 7].map((token) => ({ token, row: ROW })),
    );
    expect(more.map(({ request }) => request.guessed)).toEqual([[6], [5, 7]]);
    expect(more.map(({ part }) => part)).toEqual([
      { sequence: 0, at: 6, tokens: [6], hidden: ROW },
      { sequence: 2, at: 6, tokens: [7], hidden: ROW },
    ]);
  });

  it('end the requests that have as many as they want', () => {
    const going = [createGoing(0, 1), createGoing(1, 2), createGoing(2, 2, [5])];
    const more = takeGuessed(
      going,
      [6, 7, 8].map((token) => ({ token, row: ROW })),
    );
    expect(more.map(({ request }) => request.sequence)).toEqual([1]);
    expect(going.map(({ request }) => request.guessed)).toEqual([[6], [7], [5, 8]]);
  });

  it('leave out a request that has none', () => {
    const going = [createGoing(0, 2), createGoing(1, 2)];
    expect(takeGuessed(going, [{ token: 6, row: ROW }])).toHaveLength(1);
    expect(going[1]?.request.guessed).toEqual([]);
  });
});
