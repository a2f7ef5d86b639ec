import { describe, expect, it } from 'vitest';
import { contextLengths, defaultContextLength } from '../../src/engine/context-length.ts';

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
