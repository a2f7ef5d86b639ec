import { describe, expect, it } from 'vitest';
import {
  afterLoad,
  afterSave,
  estimateBytes,
  isWorthSaving,
  UNKNOWN_RATES,
} from '../../../../src/engine/native/prefix/copy-rates.ts';

const MIB = 2 ** 20;
const known = { save: 1000, load: { ram: 1000, disk: 1000 }, stateBytes: 100 };

describe('the rates of copies', () => {
  it('move to what a copy took, each tier by itself', () => {
    const rates = afterLoad(known, 'ram', 10 * MIB, (10 * MIB) / 2000);
    expect(rates.load.ram).toBeCloseTo(1300);
    expect(rates).toMatchObject({ save: 1000, load: { disk: 1000 }, stateBytes: 100 });
    expect(afterSave(known, 10 * MIB, (10 * MIB) / 2000, 10 * MIB).save).toBeCloseTo(1300);
  });

  it('stay as they are after a small copy', () => {
    expect(afterLoad(known, 'disk', MIB, 1)).toEqual(known);
    expect(afterSave(known, MIB, 1, MIB)).toEqual(known);
  });

  it.each([
    ['larger than estimated', 600, 500, 200],
    ['as large as estimated', 500, 500, 100],
    ['smaller than estimated', 400, 500, 100],
  ])('have the bytes of a state that was %s', (_, bytes, estimated, expected) => {
    expect(afterSave(known, bytes, 1, estimated).stateBytes).toBe(expected);
  });

  it('tell the size of a copy before it is made', () => {
    expect(estimateBytes(known, 10, 68)).toBe(1100);
    expect(estimateBytes(UNKNOWN_RATES, 0, 68)).toBe(64 * 1024);
  });
});

describe('a copy is worth its time', () => {
  it.each([
    ['never for a few tokens', 63, 0, 1000, false],
    ['if evaluating takes four times as long', 64, 16, 1, true],
    ['not if evaluating takes less', 64, 17, 1, false],
  ])('%s', (_, lost, saveMs, tokenMs, expected) => {
    expect(isWorthSaving(lost, saveMs, tokenMs)).toBe(expected);
  });
});
