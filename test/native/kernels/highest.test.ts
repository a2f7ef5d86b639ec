import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highestLogits } from '../../../src/sampling/highest.ts';
import { repeats } from '../../support/repeats.ts';
import { INSTRUCTION_SETS, openKernels, PREBUILT, UNTESTED_BECAUSE } from './library.ts';

/** Few different values, so that many are equal, and what no sampler may see. */
const logit = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.float(),
  fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN, -0),
);

describe.skipIf(UNTESTED_BECAUSE)(`the highest logits${UNTESTED_BECAUSE ? ` (${UNTESTED_BECAUSE})` : ''}`, () => {
  const kernels = UNTESTED_BECAUSE === null ? openKernels(PREBUILT) : undefined;

  for (const set of INSTRUCTION_SETS) {
    const has = kernels?.select(set);
    it.skipIf(!has)(
      `are those that JavaScript finds, in its order, with ${set}${has ? '' : ' (not on this machine)'}`,
      () => {
        kernels?.select(set);
        fc.assert(
          fc.property(fc.array(logit, { maxLength: 300 }), fc.integer({ min: 1, max: 320 }), (numbers, count) => {
            const logits = Float32Array.from(numbers);
            expect(kernels?.highest(logits, count)).toEqual(highestLogits(logits, count));
          }),
          { numRuns: repeats(300, 3000) },
        );
      },
    );
  }

  it('are found in a large vocabulary, whichever way the logits are sorted', () => {
    kernels?.select('best');
    const random = Float32Array.from({ length: 151_937 }, (_, token) => Math.sin(token * token));
    for (const logits of [random, random.toSorted(), random.toSorted().reverse()]) {
      for (const count of [1, 104, 2048]) expect(kernels?.highest(logits, count)).toEqual(highestLogits(logits, count));
    }
  });

  it('are left to others where the kernels are off', () => {
    kernels?.select('off');
    expect(kernels?.highest(Float32Array.of(1, 2), 1)).toBeNull();
    kernels?.select('best');
  });
});
