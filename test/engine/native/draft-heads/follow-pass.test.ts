import { describe, expect, it } from 'vitest';
import { followPass } from '../../../../src/engine/native/draft-heads/follow-pass.ts';
import { createTrail } from '../../../../src/engine/native/draft-heads/trail.ts';
import type { HiddenRows } from '../../../../src/engine/native/llama/hidden/hidden-rows.ts';
import type { Part } from '../../../../src/engine/native/llama/pass-order.ts';

/** The hidden rows of a pass: the row of the token at place n is n, n. */
const HIDDEN: HiddenRows = {
  width: 2,
  at: (place, count) => Float32Array.from({ length: 2 * count }, (_, index) => place + Math.floor(index / 2)),
  give: () => {},
};

const partOf = (sequence: number, length: number, more: Partial<Part> = {}): Part => ({
  sequence,
  at: 0,
  tokens: Array.from({ length }, (_, index) => index),
  logitsAt: [],
  ...more,
});

/** Follows one pass with an empty cache of two sequences. */
async function follow(parts: Part[], hidden: HiddenRows | undefined) {
  const trails = [createTrail(2), createTrail(2)];
  const log: string[] = [];
  const caughtUp = await followPass(
    {
      trail: (sequence) => trails[sequence] ?? createTrail(2),
      drop: () => {},
      forget: (sequence) => void log.push(`forget ${sequence}`),
      catchUp: async (sequences) => void log.push(`catch up with ${sequences.join(', ')}`),
    },
    parts,
    hidden,
    1,
  );
  return { caughtUp, log, trails };
}

describe('a pass of the model', () => {
  it('gives each sequence the rows of its own tokens', async () => {
    const { trails } = await follow([partOf(0, 2), partOf(1, 3)], HIDDEN);
    expect(trails.map((trail) => trail.notes.rows.map(([first]) => first))).toEqual([
      [0, 0, 1],
      [0, 2, 3, 4],
    ]);
  });

  const rows = { embeddings: new Float32Array(1), width: 1, offset: 0, grid: null, bothWays: false };
  it.each([
    ['waits for the next guess if it is short', [partOf(0, 63)], HIDDEN, false, []],
    ['is evaluated at once if it is long', [partOf(0, 64), partOf(1, 2)], HIDDEN, true, ['catch up with 0']],
    ['is forgotten without its rows', [partOf(1, 64)], undefined, false, ['forget 1']],
    ['is forgotten if it is an image', [partOf(0, 64, { rows })], HIDDEN, false, ['forget 0']],
  ])('%s', async (_, parts, hidden, caughtUp, log) => {
    const followed = await follow(parts, hidden);
    expect([followed.caughtUp, followed.log]).toEqual([caughtUp, log]);
  });
});
