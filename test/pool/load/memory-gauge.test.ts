import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createMemoryGauge } from '../../../src/pool/load/memory-gauge.ts';

const MIB = 2 ** 20;

/** Frees what other tests of this process have left behind: V8 would do it when the block is made. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
}

describe('the memory gauge', () => {
  // The other threads of this process free memory at the same time.
  it('tells how much the process has grown since', { retry: 5 }, () => {
    collectGarbage();
    const gauge = createMemoryGauge();
    expect(gauge().held).toBeLessThan(32 * MIB);
    const block = Buffer.alloc(200 * MIB, 1);
    expect(gauge().held).toBeGreaterThan(150 * MIB);
    expect(block.length).toBe(200 * MIB);
  });
});
