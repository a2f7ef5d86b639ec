import { describe, expect, it } from 'vitest';
import { contextLengths, defaultContextLength, generousLengths } from '../../src/engine/context-length.ts';

describe('the default context window', () => {
  it.each([
    ['cpu', 'chat', 131_072, 8192],
    ['gpu', 'chat', 131_072, 8192],
    ['wasm', 'chat', 131_072, 4096],
    ['cpu', 'chat', 1024, 1024],
    ['cpu', 'chat', 0, 8192],
    ['cpu', 'embedding', 8192, 2048],
    ['wasm', 'rerank', 8192, 2048],
    ['cpu', 'embedding', 512, 512],
  ] as const)('on %s of a %s model trained on %d tokens is %d', (backend, kind, trained, length) => {
    expect(defaultContextLength({ backend, kind, trained })).toBe(length);
  });

  it('is longer for texts that are read in batches, which WebAssembly can not do', () => {
    const facts = { kind: 'embedding', trained: 32_768, batched: true } as const;
    expect(defaultContextLength({ backend: 'cpu', ...facts })).toBe(8192);
    expect(defaultContextLength({ backend: 'wasm', ...facts })).toBe(2048);
  });

  it('is halved while memory is scarce, down to 2048', () => {
    const chat = (trained: number) => contextLengths({ backend: 'cpu', kind: 'chat', trained });
    expect(chat(32_768)).toEqual([8192, 4096, 2048]);
    expect(chat(5000)).toEqual([5000, 2500]);
    expect(chat(1024)).toEqual([1024]);
    expect(contextLengths({ backend: 'cpu', kind: 'embedding', trained: 8192 })).toEqual([2048]);
  });
});

describe('the context window that memory allows', () => {
  const GB = 1e9;
  /** 48 kB a token, as a model of 0.5B has for four slots. */
  const cache = (length: number) => length * 48_000;
  const chat = (trained: number, free: number) =>
    generousLengths({ backend: 'cpu', kind: 'chat', trained }, free, cache)[0];

  it('is the trained length where its cache takes little', () => {
    expect(chat(32_768, 20 * GB)).toBe(32_768);
    expect(chat(131_072, 100 * GB)).toBe(131_072);
  });

  it('is 32k rather than more where that would take more than an eighth of the memory', () => {
    expect(chat(131_072, 20 * GB)).toBe(32_768);
  });

  it('is halved until its cache takes no more than half of the memory, down to what it always was', () => {
    expect(chat(32_768, 2 * GB)).toBe(16_384);
    expect(chat(32_768, 1 * GB)).toBe(8192);
    expect(chat(131_072, 0)).toBe(8192);
  });

  it('goes by the memory of the GPU there', () => {
    const facts = { backend: 'gpu', kind: 'chat', trained: 32_768 } as const;
    expect(generousLengths(facts, 20 * GB, cache)[0]).toBe(32_768);
    expect(generousLengths(facts, 1 * GB, cache)[0]).toBe(8192);
  });

  it('is as it was on WebAssembly and for vectors, whose memory is another', () => {
    for (const facts of [
      { backend: 'wasm', kind: 'chat' },
      { backend: 'cpu', kind: 'embedding' },
    ] as const) {
      const all = { ...facts, trained: 131_072 };
      expect(generousLengths(all, 100 * GB, cache)).toEqual(contextLengths(all));
    }
  });
});
