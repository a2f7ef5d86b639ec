import { describe, expect, it } from 'vitest';
import { chooseBatch, wasmBatch } from '../../src/engine/batch-size.ts';

const GIB = 2 ** 30;
/** The intermediate results of a 7B model: 320 KiB a token. */
const computeOf = (microBatch: number) => microBatch * 320 * 1024;

describe('the batch', () => {
  it('has 512 tokens on a CPU, which are computed at once', () => {
    expect(chooseBatch('cpu', null, computeOf, 64 * GIB)).toEqual({ batchSize: 512, microBatch: 512 });
  });

  it('has 2,048 tokens on a GPU, which computes as many at once as its memory is good for', () => {
    const on = (gib: number) => chooseBatch('gpu', null, computeOf, gib * GIB);
    expect(on(80)).toEqual({ batchSize: 2048, microBatch: 2048 });
    expect(on(5)).toEqual({ batchSize: 2048, microBatch: 1024 });
    expect(on(1)).toEqual({ batchSize: 2048, microBatch: 512 });
  });

  it('is as configured', () => {
    expect(chooseBatch('cpu', 4096, computeOf, GIB)).toEqual({ batchSize: 4096, microBatch: 4096 });
    expect(chooseBatch('gpu', 64, computeOf, 0)).toEqual({ batchSize: 64, microBatch: 64 });
    expect(chooseBatch('gpu', 1500, computeOf, 0)).toEqual({ batchSize: 1500, microBatch: 512 });
  });
});

describe('the batch on WebAssembly', () => {
  it('is as many tokens as are read in a quarter of a second', () => {
    expect(wasmBatch(528e6, 1)).toBe(2);
    expect(wasmBatch(528e6, 2)).toBe(3);
    expect(wasmBatch(528e6, 8)).toBe(12);
    expect(wasmBatch(107e6, 1)).toBe(7);
  });

  it('has no more than 64 tokens, and no fewer than llama.cpp needs', () => {
    expect(wasmBatch(5e6, 1)).toBe(64);
    expect(wasmBatch(3e9, 1)).toBe(2);
  });
});
