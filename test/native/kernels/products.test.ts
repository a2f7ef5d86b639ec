// @module-tag slow
import { describe, expect, it } from 'vitest';
import { createDice, type Dice } from '../../kit/dice.ts';
import { repeats } from '../../support/repeats.ts';
import {
  ACTIVATIONS,
  decodeRow,
  type Format,
  type Kind,
  type Matrix,
  PAIRS,
  randomMatrix,
  WEIGHTS,
} from './formats.ts';
import { INSTRUCTION_SETS, type KernelLibrary, openKernels, PREBUILT, UNTESTED_BECAUSE } from './library.ts';

/** Rounds to the precision of a 32-bit float. */
const EPSILON = 2 ** -24;
/** Where products of scales get so small that 32-bit floats have no more bits for them. */
const TINY = 1e-36;

/** The columns from which on a product is taken. */
const leastColumns = ({ name }: Format) => (name === 'F16' ? 8 : name === 'BF16' ? 16 : name === 'Q4_K' ? 1 : 2);

interface Shape {
  rows: number;
  columns: number;
  blocks: number;
  kind: Kind;
}

/** Returns the places where the results differ from those in doubles by more than rounding explains. */
function findErrors(weights: Matrix, activations: Matrix, results: Float32Array, resultStride: number): string[] {
  const errors: string[] = [];
  const rows = Array.from({ length: weights.rows }, (_, row) => decodeRow(weights, row));
  for (let column = 0; column < activations.rows; column++) {
    const { values, sizes } = decodeRow(activations, column);
    for (const [row, weight] of rows.entries()) {
      let sum = 0;
      let size = 0;
      for (let i = 0; i < values.length; i++) {
        sum += (weight.values[i] ?? 0) * (values[i] ?? 0);
        size += (weight.sizes[i] ?? 0) * (sizes[i] ?? 0);
      }
      const result = results[column * resultStride + row] ?? Number.NaN;
      const bound = (8 + values.length / 16) * EPSILON * size + TINY;
      const isRight = Number.isFinite(sum) ? Math.abs(result - sum) <= bound : !Number.isFinite(result);
      if (!isRight) errors.push(`row ${row}, column ${column}: ${result}, not ${sum} (± ${bound})`);
    }
  }
  return errors;
}

/** Multiplies random matrices of a shape, divided among some threads, and returns what is wrong. */
function tryShape(kernels: KernelLibrary, weightFormat: Format, activationFormat: Format, dice: Dice, shape: Shape) {
  const { rows, columns, kind } = shape;
  // A block of weights may be shorter than a block of activations, and a row is read by whole blocks of both.
  const length = Math.max(weightFormat.length, activationFormat.length, 8);
  const gap = dice.pick([0, 0, 1]) * (length / weightFormat.length);
  const depth = shape.blocks * length;
  const weights = randomMatrix(weightFormat, dice, { rows, blocks: depth / weightFormat.length, gap, kind });
  const activations = randomMatrix(activationFormat, dice, {
    rows: columns,
    blocks: depth / activationFormat.length,
    gap: dice.below(2),
    kind,
  });
  const resultStride = rows + dice.below(3);
  const results = new Float32Array(columns * resultStride + 16).fill(777);
  const threads = 1 + dice.below(6);
  for (let thread = 0; thread < threads; thread++) {
    const taken = kernels.multiply(
      {
        weightType: weightFormat.type,
        activationType: activationFormat.type,
        rows,
        columns,
        blocks: weights.blocks,
        weights: weights.bytes,
        weightStride: weights.stride,
        activations: activations.bytes,
        activationStride: activations.stride,
        results,
        resultStride,
      },
      thread,
      threads,
    );
    if (!taken) return ['it was not taken'];
  }
  const errors = findErrors(weights, activations, results, resultStride);
  // Nothing is written beside the results.
  results.forEach((value, i) => {
    if ((i % resultStride >= rows || i >= columns * resultStride) && value !== 777) errors.push(`${i} was overwritten`);
  });
  return errors;
}

function randomShape(dice: Dice, kind: Kind, least: number): Shape {
  return {
    rows: 1 + dice.below(80),
    columns: dice.chance(0.7) ? least + dice.below(9) : least + dice.below(40),
    blocks: dice.chance(0.7) ? 1 + dice.below(3) : 1 + dice.below(10),
    kind,
  };
}

const TITLE = UNTESTED_BECAUSE ? `(${UNTESTED_BECAUSE})` : '';

describe.skipIf(UNTESTED_BECAUSE)(`the kernels ${TITLE}`, () => {
  const kernels = UNTESTED_BECAUSE ? null : openKernels(PREBUILT);

  describe.each(INSTRUCTION_SETS)('with %s', (name) => {
    const isThere = kernels?.select(name) ?? false;

    it.skipIf(!isThere).each(PAIRS.map(([a, b]) => [a.name, b.name, a, b] as const))(
      `multiply %s by %s as exactly as floats can${isThere ? '' : ' (the processor lacks the instructions)'}`,
      (_a, _b, weightFormat, activationFormat) => {
        if (!kernels) return;
        kernels.select(name);
        const before = kernels.products(weightFormat.type);
        let count = 0;
        for (const kind of ['usual', 'extreme', 'broken'] as const) {
          for (let seed = 0; seed < repeats(3, 30); seed++, count++) {
            const dice = createDice(seed);
            const shape = randomShape(dice, kind, leastColumns(weightFormat));
            expect(tryShape(kernels, weightFormat, activationFormat, dice, shape), JSON.stringify(shape)).toEqual([]);
          }
        }
        expect(kernels.products(weightFormat.type) - before).toBe(count);
      },
      120_000,
    );

    it.skipIf(!isThere)('multiply matrices that are longer or wider than what a thread prepares at once', () => {
      if (!kernels) return;
      kernels.select(name);
      // Single columns of any length, too.
      for (const blocks of [1, 2, 21]) {
        const shape: Shape = { rows: 19, columns: 1, blocks, kind: 'usual' };
        expect(tryShape(kernels, WEIGHTS.Q4_K, ACTIVATIONS.Q8_K, createDice(blocks), shape)).toEqual([]);
      }
      const shapes: Shape[] = [
        { rows: 3, columns: 601, blocks: 2, kind: 'usual' },
        { rows: 5, columns: 245, blocks: 21, kind: 'usual' },
        { rows: 33, columns: 16, blocks: 25, kind: 'usual' },
        { rows: 1, columns: 17, blocks: 130, kind: 'usual' },
      ];
      for (const [weightFormat, activationFormat] of PAIRS.slice(0, repeats(4, PAIRS.length))) {
        for (const shape of shapes) {
          const dice = createDice(shape.columns);
          expect(tryShape(kernels, weightFormat, activationFormat, dice, shape), weightFormat.name).toEqual([]);
        }
      }
    });
  });

  it('leave single columns, other types and everything, once turned off, to ggml', () => {
    if (!kernels) return;
    const results = new Float32Array(8);
    const bytes = new Uint8Array(4096);
    const product = { rows: 4, blocks: 1, weights: bytes, activations: bytes, results, resultStride: 4 };
    const ask = (weightType: number, activationType: number, columns: number) =>
      kernels.multiply({ ...product, weightType, activationType, columns, weightStride: 1, activationStride: 1 }, 0, 1);
    if (!kernels.select('best')) return;
    expect(ask(WEIGHTS.Q8_0.type, 8, 2)).toBe(kernels.describe() !== null);
    expect(ask(WEIGHTS.Q8_0.type, 8, 1)).toBe(false);
    // ggml asks with the activations as they are first. It converts them after the answer is no.
    expect(ask(WEIGHTS.Q8_0.type, 0, 2)).toBe(false);
    expect(ask(0, 0, 2)).toBe(false);
    // Few columns of 16-bit floats: ggml's own are faster.
    for (const { type } of [WEIGHTS.F16, WEIGHTS.BF16]) expect(ask(type, type, 7)).toBe(false);
    // Q2_K has no kernel.
    expect(ask(10, 15, 2)).toBe(false);
    expect(kernels.select('off')).toBe(true);
    expect(ask(WEIGHTS.Q8_0.type, 8, 2)).toBe(false);
    expect(kernels.describe()).toBe('off');
    expect(kernels.select('avx9000')).toBe(false);
    expect(kernels.describe()).toBe('off');
  });
});
