import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createMemoryGauge } from '../../../src/pool/load/memory-gauge.ts';

const MIB = 2 ** 20;

/**
 * Frees what other tests of this process have left behind, and waits until its memory shrinks no more: V8 gives the
 * pages back in threads of its own, and would do so while the growth is measured.
 */
async function settleMemory(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let before = Number.POSITIVE_INFINITY; before - process.memoryUsage.rss() > MIB; ) {
    before = process.memoryUsage.rss();
    gc();
    await setTimeout(100);
  }
}

describe('the memory gauge', () => {
  it('tells how much the process has grown since', async () => {
    await settleMemory();
    const gauge = createMemoryGauge();
    expect(gauge().held).toBeLessThan(32 * MIB);
    const block = Buffer.alloc(200 * MIB, 1);
    expect(gauge().held).toBeGreaterThan(150 * MIB);
    expect(block.length).toBe(200 * MIB);
  });
});
