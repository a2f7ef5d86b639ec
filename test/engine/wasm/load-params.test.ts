import { describe, expect, it } from 'vitest';
import { loadParams, type WasmLoadPlan } from '../../../src/engine/wasm/load-params.ts';

const plan: WasmLoadPlan = { kind: 'chat', contextLength: 4000, threads: 2, batchSize: 32, gpuLayers: 0 };
const nothing = { passSize: 0, helpers: 0 };

describe('the parameters of loading', () => {
  it('have the batch of a chat model, and all its threads', () => {
    expect(loadParams(plan, nothing)).toMatchObject({ n_ctx: 4000, n_batch: 32, n_ubatch: 32, n_threads: 2 });
  });

  it('have a small batch unless a GPU computes or the caller sets another', () => {
    const { batchSize: _, ...unsaid } = plan;
    expect(loadParams(unsaid, nothing)).toMatchObject({ n_batch: 8 });
    expect(loadParams({ ...unsaid, gpuLayers: 9 }, nothing)).toMatchObject({ n_batch: 32 });
  });

  it('have a batch that holds all tokens that a projector needs together', () => {
    expect(loadParams(plan, { ...nothing, passSize: 288 })).toMatchObject({ n_batch: 288, n_ubatch: 288 });
    expect(loadParams({ ...plan, batchSize: 512 }, { ...nothing, passSize: 288 })).toMatchObject({ n_ubatch: 512 });
  });

  it('have workers for helper threads too; one computing thread needs no worker', () => {
    expect(loadParams(plan, { ...nothing, helpers: 3 }).n_threads).toBe(4);
    expect(loadParams({ ...plan, threads: 1 }, { ...nothing, helpers: 3 }).n_threads).toBe(3);
  });

  it('name flash attention only if somebody has decided', () => {
    expect(loadParams(plan, nothing)).not.toHaveProperty('flash_attn');
    expect(loadParams({ ...plan, flashAttention: false }, nothing)).toMatchObject({ flash_attn: false });
  });

  it('let an embedding model read a text in one pass', () => {
    expect(loadParams({ ...plan, kind: 'embedding' }, nothing)).toMatchObject({ n_ubatch: 4096, embeddings: true });
    expect(loadParams({ ...plan, kind: 'rerank' }, nothing)).toMatchObject({ pooling_type: 'rank' });
    expect(loadParams(plan, nothing)).not.toHaveProperty('embeddings');
  });
});
