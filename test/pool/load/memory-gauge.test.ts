import { describe, expect, it } from 'vitest';
import { createMemoryGauge } from '../../../src/pool/load/memory-gauge.ts';

const MIB = 2 ** 20;

describe('the memory gauge', () => {
  it('tells how much the process has grown since', () => {
    const gauge = createMemoryGauge();
    expect(gauge().held).toBeLessThan(32 * MIB);
    const block = Buffer.alloc(200 * MIB, 1);
    expect(gauge().held).toBeGreaterThan(150 * MIB);
    expect(block.length).toBe(200 * MIB);
  });
});
