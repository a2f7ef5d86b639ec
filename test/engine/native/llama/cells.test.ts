import { describe, expect, it } from 'vitest';
import { createCells } from '../../../../src/engine/native/llama/cells.ts';
import type { LlamaContext } from '../../../../src/engine/native/llama/context.ts';

/** Makes the cells of a sequence with these positions, and logs what is done to them. */
function createRun({
  oldest = 0,
  newest = 99,
  removes = true,
  window = null as number | null,
  states = 0,
  unified = true,
}) {
  const log: string[] = [];
  const context: Pick<LlamaContext, 'positions' | 'remove' | 'copy' | 'states' | 'unified'> = {
    states,
    unified,
    positions: () => ({ first: oldest, last: newest }),
    remove: (_, start) => {
      log.push(start === 0 ? 'clear' : `remove from ${start}`);
      return removes;
    },
    copy: (from, to) => void log.push(`copy ${from} to ${to}`),
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

  it.each([
    ['a token of the latest pass', 4, 99, 99],
    ['all of its tokens but one', 4, 97, 97],
    ['more of them than there are states', 2, 96, 0],
    ['more tokens than the latest pass had', 8, 95, 0],
    ['one without earlier states', 0, 99, 0],
  ])('drop %s, with a recurrent state', (_, states, length, held) => {
    const { cells } = createRun({ oldest: 99, states });
    cells.notePass([{ sequence: 0, tokens: 4 }]);
    expect(cells.reaches(0, length)).toBe(held > 0);
    expect(cells.keep(0, length)).toBe(held);
  });

  it('drop tokens once after a pass, and none after a pass without the sequence, or one that failed', () => {
    const { cells } = createRun({ oldest: 99, states: 4 });
    cells.notePass([{ sequence: 0, tokens: 4 }]);
    expect([cells.keep(0, 99), cells.keep(0, 98)]).toEqual([99, 0]);
    for (const parts of [[{ sequence: 1, tokens: 4 }], []]) {
      cells.notePass([{ sequence: 0, tokens: 4 }]);
      cells.notePass(parts);
      expect(cells.keep(0, 99)).toBe(0);
    }
  });

  it('are copied whole, but not while the next pass is to take a state back', () => {
    const { cells, log } = createRun({ oldest: 99, states: 4 });
    cells.notePass([{ sequence: 0, tokens: 4 }]);
    expect(cells.copy(0, 1)).toBe(100);
    // The copy has the same state until the next pass.
    expect(cells.reaches(0, 99)).toBe(false);
    cells.notePass([{ sequence: 0, tokens: 4 }]);
    cells.keep(0, 99);
    expect(cells.copy(0, 1)).toBe(0);
    cells.notePass([{ sequence: 0, tokens: 1 }]);
    expect(cells.copy(0, 1)).toBe(100);
    expect(log.filter((line) => line.startsWith('copy'))).toEqual(['copy 0 to 1', 'copy 0 to 1']);
  });

  it.each([
    ['until the next pass copies their bytes', { unified: false }, [false, false, true]],
    ['not at all where they share cells', { unified: true }, [true, true, true]],
    ['not at all where nothing is copied', { unified: false, newest: -1 }, [true, true, true]],
  ])('are unsettled %s', (_, given, settled) => {
    const { cells } = createRun(given);
    cells.copy(0, 1);
    expect([0, 1, 2].map(cells.settled)).toEqual(settled);
    expect(cells.allSettled).toBe(settled.every(Boolean));
    cells.notePass([]);
    expect([cells.settled(0), cells.allSettled]).toEqual([true, true]);
  });

  it('are counted by the newest one', () => {
    expect(createRun({ newest: 99 }).cells.count(0)).toBe(100);
    expect(createRun({ newest: -1 }).cells.count(0)).toBe(0);
  });
});
