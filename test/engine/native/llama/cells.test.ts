import { describe, expect, it } from 'vitest';
import { createCells } from '../../../../src/engine/native/llama/cells.ts';
import type { LlamaContext } from '../../../../src/engine/native/llama/context.ts';

/** Makes the cells of a sequence with these positions, and logs what is done to them. */
function createRun({ oldest = 0, newest = 99, removes = true, window = null as number | null }) {
  const log: string[] = [];
  const context: Pick<LlamaContext, 'positions' | 'remove'> = {
    positions: () => ({ first: oldest, last: newest }),
    remove: (_, start) => {
      log.push(start === 0 ? 'clear' : `remove from ${start}`);
      return removes;
    },
  };
  return { cells: createCells({ context }, { window }), log };
}

describe('the cells of a sequence', () => {
  it.each([
    ['all, with one left of them', { oldest: 0 }, 1, true],
    ['all but the last, with a state', { oldest: 99 }, 100, true],
    ['fewer than its state has seen', { oldest: 99 }, 99, false],
    ['the window before the place', { oldest: 60, window: 32 }, 92, true],
    ['not all of the window before the place', { oldest: 60, window: 32 }, 91, false],
    ['what is shorter than the window', { oldest: 0, window: 32 }, 10, true],
  ])('reach back to %s', (_, given, length, expected) => {
    expect(createRun(given).cells.reaches(0, length)).toBe(expected);
  });

  it.each([
    ['the first tokens', {}, 50, 50, ['remove from 50']],
    ['nothing where nothing is wanted', {}, 0, 0, ['clear']],
    ['nothing where they are forgotten', { oldest: 99 }, 50, 0, ['clear']],
    ['nothing where llama.cpp removes no cells', { removes: false }, 50, 0, ['remove from 50', 'clear']],
  ])('keep %s', (_, given, length, held, expected) => {
    const { cells, log } = createRun(given);
    expect(cells.keep(0, length)).toBe(held);
    expect(log).toEqual(expected);
  });

  it('are counted by the newest one', () => {
    expect(createRun({ newest: 99 }).cells.count(0)).toBe(100);
    expect(createRun({ newest: -1 }).cells.count(0)).toBe(0);
  });
});
