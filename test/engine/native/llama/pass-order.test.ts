import { describe, expect, it } from 'vitest';
import type { PassShape, Run } from '../../../../src/engine/native/llama/micro-batches.ts';
import { fillerPart, orderParts, type Part, tokensOf } from '../../../../src/engine/native/llama/pass-order.ts';

const SEQUENCES = 4;
const part = (sequence: number, at = 10, count = 1): Part => ({
  sequence,
  at,
  tokens: Array.from({ length: count }, () => 7),
  logitsAt: [count - 1],
});
/** Orders parts by these runs. Sequences without a part hold 5 tokens each. */
function order(parts: Part[], runs: Run[], spare = 100, most = 100) {
  const asked: [number, number][] = [];
  let shape: PassShape | undefined;
  const fillerFor = (sequence: number, longest: number) => {
    asked.push([sequence, longest]);
    return fillerPart(sequence, 5);
  };
  const result = orderParts(parts, SEQUENCES, { spare, fillerFor, mostOf: ({ at }) => most - at }, (given) => {
    shape = given;
    return runs;
  });
  const numbers = (of: { sequence: number }[]) => of.map(({ sequence }) => sequence);
  return {
    ...result,
    order: numbers(result.order),
    parts: result.order,
    dropping: numbers(result.drops),
    shape,
    asked,
  };
}

describe('the order of a forward pass', () => {
  it.each<[string, number[], Run[], number[], number[]]>([
    [
      'is that of the runs',
      [0, 1, 3],
      [
        { from: 3, to: 4 },
        { from: 0, to: 2 },
      ],
      [3, 0, 1],
      [],
    ],
    ['fills the gaps of a run', [0, 3], [{ from: 0, to: 4 }], [0, 1, 2, 3], [1, 2]],
    ['leaves out sequences in no run', [0], [{ from: 0, to: 1 }], [0], []],
  ])('%s', (_, sequences, runs, expected, dropping) => {
    expect(
      order(
        sequences.map((sequence) => part(sequence)),
        runs,
      ),
    ).toMatchObject({ order: expected, dropping });
  });

  it('is decided by the tokens of each sequence, and by whether it may be a filler', () => {
    const { shape, asked } = order([part(1, 10, 3), part(2, 40)], []);
    const padding = { spare: 100, most: [0, 90, 60, 0] };
    expect(shape).toEqual({ widths: [0, 3, 1, 0], mayFill: [true, false, false, true], padding });
    // No filler may be longer than the longest part, which ends at 41.
    expect(asked).toEqual([
      [0, 41],
      [3, 41],
    ]);
  });

  it('pads the parts of a run that has a width, whose sequences drop the padding after the pass', () => {
    const { parts, drops } = order([part(0, 10, 3), part(1, 20, 5)], [{ from: 0, to: 2, width: 5 }]);
    expect(parts.map(({ tokens, logitsAt }) => [tokens.length, logitsAt])).toEqual([
      [5, [2]],
      [5, [4]],
    ]);
    expect(drops).toEqual([{ sequence: 0, extent: 13 }]);
  });

  it('has no fillers where the batch has no place for one of every sequence', () => {
    const { shape, asked } = order([part(0)], [], SEQUENCES - 1);
    expect(shape?.mayFill).toEqual([false, false, false, false]);
    expect(asked).toEqual([]);
  });
});

it('counts the tokens of a pass', () => {
  expect(tokensOf([part(0, 0, 3), part(1), fillerPart(2, 5)])).toBe(5);
});
