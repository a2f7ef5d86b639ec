import { describe, expect, it } from 'vitest';
import { memoryPlans } from '../../src/engine/memory-plans.ts';

const sizes = { backend: 'wasm', kind: 'chat', slots: 1, threads: 1, batchSize: 64 } as const;

describe('the plans of memory', () => {
  it('prefer floats in the KV cache on WebAssembly, and a longer window to floats', () => {
    const tried = memoryPlans(sizes, [4096, 2048]).map((plan) => [plan.contextLength, plan.floatCache ?? false]);
    expect(tried).toEqual([
      [4096, true],
      [4096, false],
      [2048, true],
      [2048, false],
    ]);
  });

  it('have one format natively, and for models that read a text in one pass', () => {
    expect(memoryPlans({ ...sizes, backend: 'cpu' }, [8192])).toEqual([
      { ...sizes, backend: 'cpu', contextLength: 8192 },
    ]);
    expect(memoryPlans({ ...sizes, kind: 'embedding' }, [512])).toHaveLength(1);
  });
});
