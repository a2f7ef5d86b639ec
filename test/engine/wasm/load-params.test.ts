import { describe, expect, it } from 'vitest';
import { loadParams, type WasmLoadPlan } from '../../../src/engine/wasm/load-params.ts';

const plan: WasmLoadPlan = { kind: 'chat', contextLength: 4000, threads: 2, batchSize: 32, gpuLayers: 0 };
const nothing = { passSize: 0, helpers: 0 };

describe('the parameters of loading', () => {
  it('have the batch of a chat model, and all its threads', () => {
    expect(loadParams(plan, nothing)).toMatchObject({ n_ctx: 4000, n_batch: 32, n_ubatch: 32, n_threads: 2 });
  });

  it('have a batch that holds all tokens that a projector needs together', () => {
    expect(loadParams(plan, { ...nothing, passSize: 288 })).toMatchObject({ n_batch: 288, n_ubatch: 288 });
    expect(loadParams({ ...plan, batchSize: 512 }, { ...nothing, passSize: 288 })).toMatchObject({ n_ubatch: 512 });
  });

  it('have workers for helper threads too; one computing thread needs no worker', () => {
    expect(loadParams(plan, { ...nothing, helpers: 3 }).n_threads).toBe(4);
    expect(loadParams({ ...plan, threads: 1 }, { ...nothing, helpers: 3 }).n_threads).toBe(3);
  });

  it('leave the format of the KV cache to llama.cpp, or keep floats without flash attention', () => {
    expect(loadParams(plan, nothing)).not.toHaveProperty('flash_attn');
    expect(loadParams(plan, nothing)).not.toHaveProperty('cache_type_k');
    const floats = { cache_type_k: 'f32', cache_type_v: 'f32', flash_attn: false };
    expect(loadParams({ ...plan, cache: 'f32' }, nothing)).toMatchObject(floats);
  });

  it('quantize the KV cache with flash attention, without which llama.cpp can not read it', () => {
    const quantized = { cache_type_k: 'q8_0', cache_type_v: 'q8_0', flash_attn: true };
    expect(loadParams({ ...plan, cache: 'q8_0' }, nothing)).toMatchObject(quantized);
  });

  it('let an embedding model read a text in one pass', () => {
    expect(loadParams({ ...plan, kind: 'embedding' }, nothing)).toMatchObject({ n_ubatch: 4096, embeddings: true });
    expect(loadParams({ ...plan, kind: 'rerank' }, nothing)).toMatchObject({ pooling_type: 'rank' });
    expect(loadParams(plan, nothing)).not.toHaveProperty('embeddings');
  });
});
