import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutRun,
  type MicroBatch,
  type Padding,
  type PassShape,
  planRuns,
  type Run,
} from '../../../../src/engine/native/llama/micro-batches.ts';
import { sum } from '../../../../src/utils/sum.ts';

/** Two cores without matrix instructions: a token alone is quick, and 8 or 16 are quicker than numbers between. */
const ODD_ROWS = [0, 18, 36, 54, 70, 88, 99, 99, 82, 100, 105, 110, 98, 115, 112, 110, 101];
const odd = ({ sequences, width }: MicroBatch) =>
  width === 1 ? (ODD_ROWS[sequences] ?? 7 * sequences) : 15 + 3 * sequences * width;
/** A machine on which more tokens cost little. */
const even = ({ sequences, width }: MicroBatch) => 20 + sequences * width;

const shapeOf = (widths: number[], fillers: number[] = []): PassShape => ({
  widths,
  mayFill: widths.map((width, sequence) => width === 0 && fillers.includes(sequence)),
});
const active = (count: number, sequences: number[]) =>
  Array.from({ length: count }, (_, sequence) => (sequences.includes(sequence) ? 1 : 0));

describe('the micro-batches of a run', () => {
  it('are one, if all sequences bring equally many tokens', () => {
    expect(cutRun([1, 1, 1])).toEqual([{ sequences: 3, width: 1 }]);
    expect(cutRun([64])).toEqual([{ sequences: 1, width: 64 }]);
  });

  it('are as wide as the narrowest sequence, and the rest comes after them', () => {
    expect(cutRun([1, 64, 1])).toEqual([
      { sequences: 3, width: 1 },
      { sequences: 1, width: 63 },
    ]);
    expect(cutRun([5, 9, 5, 7])).toEqual([
      { sequences: 4, width: 5 },
      { sequences: 1, width: 4 },
      { sequences: 1, width: 2 },
    ]);
  });
});

describe('the runs of a pass', () => {
  it('are one for neighbours', () => {
    expect(planRuns(shapeOf([1, 1, 1, 1]), even)).toEqual([{ from: 0, to: 4 }]);
  });

  it('leave out sequences that bring nothing', () => {
    expect(planRuns(shapeOf([0, 0, 1, 0]), even)).toEqual([{ from: 2, to: 3 }]);
    expect(planRuns(shapeOf([0, 0]), even)).toEqual([]);
  });

  it('fill a gap, if that is quicker than two runs', () => {
    expect(planRuns(shapeOf(active(16, [0, 1, 2, 4, 5]), [3, 6, 7]), even)).toEqual([{ from: 0, to: 6 }]);
  });

  it('do not fill a gap with a sequence that must not change', () => {
    expect(planRuns(shapeOf([1, 0, 1]), even)).toEqual([
      { from: 2, to: 3 },
      { from: 0, to: 1 },
    ]);
  });

  it('do not fill a wide gap for few sequences', () => {
    expect(planRuns(shapeOf(active(64, [0, 63]), [...Array(64).keys()]), even)).toHaveLength(2);
  });

  it('take more tokens than are needed, where that is quicker', () => {
    expect(planRuns(shapeOf(active(16, [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13]), [7, 14, 15]), odd)).toEqual([
      { from: 0, to: 16 },
    ]);
  });

  it('keep prompts of unequal length apart, where what is left of them would take a pass each', () => {
    expect(planRuns(shapeOf([131, 135, 144]), odd)).toEqual([
      { from: 2, to: 3 },
      { from: 1, to: 2 },
      { from: 0, to: 1 },
    ]);
  });

  it('leave the tiles of a prompt whole', () => {
    const free = () => 1;
    expect(planRuns(shapeOf([1, 64, 1]), free)).toEqual([
      { from: 2, to: 3 },
      { from: 1, to: 2 },
      { from: 0, to: 1 },
    ]);
    expect(planRuns(shapeOf([64, 64]), free)).toEqual([{ from: 0, to: 2 }]);
    expect(planRuns(shapeOf([1, 63, 1]), free)).toEqual([{ from: 0, to: 3 }]);
  });

  it('pad neighbours of unequal widths, where that is quicker and the spare tokens are enough', () => {
    const padded = (widths: number[], padding: Padding) => planRuns({ ...shapeOf(widths), padding }, even);
    const most = [200, 200, 200, 200];
    expect(padded([90, 100, 95, 100], { spare: 20, most })).toEqual([{ from: 0, to: 4, width: 100 }]);
    expect(padded([90, 100, 95, 100], { spare: 4, most }).every(({ width }) => width === undefined)).toBe(true);
    expect(padded([90, 100, 95, 100], { spare: 20, most: [99, 200, 200, 200] })).toEqual([
      { from: 1, to: 4, width: 100 },
      { from: 0, to: 1 },
    ]);
    // A reply among prompts would be padded with more tokens than it saves.
    expect(padded([100, 1, 100, 95], { spare: 100, most })).toEqual([
      { from: 2, to: 4, width: 100 },
      { from: 1, to: 2 },
      { from: 0, to: 1 },
    ]);
  });

  it('leave places of the batch for fillers before they are padded', () => {
    const shape = shapeOf([90, 100, 95, 100, 1, 0, 1, 0, 1], [5, 7]);
    const most = shape.widths.map(() => 200);
    const addedWith = (spare: number) => {
      const runs = planRuns({ ...shape, padding: { spare, most } }, even);
      const each = runs.flatMap(({ from, to, width = 1 }) => shape.widths.slice(from, to).map((own) => [own, width]));
      return sum(each.map(([own = 0, width = 0]) => Math.max(0, width - own)));
    };
    // Four prompts take 15 tokens to be as wide as the widest, and each gap takes one.
    expect(addedWith(20)).toBe(17);
    // With less room than a place for each sequence there are no fillers.
    for (let spare = shape.widths.length; spare < 20; spare++) expect(addedWith(spare)).toBeLessThanOrEqual(spare);
  });

  it('are padded with no more tokens than are spare, and never slower for it', () => {
    const widths = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(widths, fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 400 }), (widths, spare, most) => {
        const shape = shapeOf(widths);
        const runs = planRuns({ ...shape, padding: { spare, most: widths.map(() => most) } }, even);
        const timeOf = ({ from, to, width = 0 }: Run) =>
          sum(cutRun(widths.slice(from, to).map((own) => Math.max(width, own))).map(even));
        const added = runs.map(({ from, to, width = 0 }) =>
          sum(widths.slice(from, to).map((own) => Math.max(0, width - own))),
        );
        expect(sum(added)).toBeLessThanOrEqual(spare);
        for (const { width = 0 } of runs) expect(width).toBeLessThanOrEqual(most);
        expect(sum(runs.map(timeOf))).toBeLessThanOrEqual(sum(planRuns(shape, even).map(timeOf)) + 1e-6);
      }),
    );
  });

  it('have every sequence that brings something once, no other that must not change, and no run beside another in ascending order', () => {
    const sequence = fc.record({
      width: fc.oneof(fc.constant(0), fc.constant(1), fc.integer({ min: 2, max: 300 })),
      fills: fc.boolean(),
    });
    const kernel = fc.constantFrom(odd, even);
    fc.assert(
      fc.property(fc.array(sequence, { minLength: 1, maxLength: 20 }), kernel, (sequences, timeOf) => {
        const widths = sequences.map(({ width }) => width);
        const mayFill = sequences.map(({ width, fills }) => width === 0 && fills);
        const runs = planRuns({ widths, mayFill }, timeOf);
        const taken = runs.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
        expect(new Set(taken).size).toBe(taken.length);
        for (const [index, width] of widths.entries()) {
          if (width > 0) expect(taken).toContain(index);
          else if (!mayFill[index]) expect(taken).not.toContain(index);
        }
        expect(runs.map(({ from }) => from)).toEqual(runs.map(({ from }) => from).sort((a, b) => b - a));
      }),
    );
  });

  it('are never slower than llama.cpp would cut the sequences without a plan', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 16 }), (widths) => {
        const timeOf = (from: number, to: number) => sum(cutRun(widths.slice(from, to)).map(odd));
        const planned = planRuns(shapeOf(widths), odd).map(({ from, to }) => timeOf(from, to));
        expect(sum(planned)).toBeLessThanOrEqual(timeOf(0, widths.length) + 1e-6);
      }),
    );
  });
});
