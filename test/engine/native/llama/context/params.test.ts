import { describe, expect, it } from 'vitest';
import { type ContextOptions, toContextParams } from '../../../../../src/engine/native/llama/context/params.ts';
import {
  CONTEXT_TYPE,
  type ContextParams,
  FLASH_ATTENTION,
  GGML_TYPE,
  POOLING,
} from '../../../../../src/engine/native/llama/library/structs.ts';

const OPTIONS: ContextOptions = { contextLength: 256, sequences: 4, batchSize: 64, threads: 2 };
const DEFAULTS = { rope_freq_base: 1, pooling_type: -1 } as ContextParams;

describe("llama.cpp's settings of a context", () => {
  it('are its own where Paddock does not decide', () => {
    expect(toContextParams(DEFAULTS, OPTIONS, 8n)).toMatchObject({
      ...DEFAULTS,
      abort_callback_data: 8n,
      n_batch: 64,
      n_seq_max: 4,
      n_threads: 2,
    });
  });

  it.each<[string, Partial<ContextOptions>, Partial<ContextParams>]>([
    ['have room for each sequence', {}, { n_ctx: 1024, kv_unified: false }],
    ['have room for all sequences together', { unified: true }, { n_ctx: 256, kv_unified: true }],
    ['compute a whole batch at once', {}, { n_ubatch: 64 }],
    ['compute a part of a batch at once', { microBatch: 16 }, { n_ubatch: 16 }],
    ['compute no more than a batch at once', { microBatch: 128 }, { n_ubatch: 64 }],
    ['keep no earlier states', {}, { n_rs_seq: 0 }],
    ['keep earlier states', { states: 3 }, { n_rs_seq: 3 }],
    ['leave flash attention to llama.cpp', {}, { flash_attn_type: FLASH_ATTENTION.auto }],
    ['have flash attention', { flashAttention: true }, { flash_attn_type: FLASH_ATTENTION.enabled }],
    ['have no flash attention', { flashAttention: false }, { flash_attn_type: FLASH_ATTENTION.disabled }],
    ['have a cache of f16', {}, { type_k: GGML_TYPE.f16, type_v: GGML_TYPE.f16 }],
    ['have a cache of 8 bits', { kvType: 'q8_0' }, { type_k: GGML_TYPE.q8_0, type_v: GGML_TYPE.q8_0 }],
    ['give logits', {}, { embeddings: false, pooling_type: -1 }],
    ['give embeddings', { output: 'embedding' }, { embeddings: true, pooling_type: -1 }],
    ['give scores', { output: 'score' }, { embeddings: true, pooling_type: POOLING.rank }],
    ['guess with MTP layers', { guesses: 'mtp' }, { ctx_type: CONTEXT_TYPE.mtp, ctx_other: null }],
    [
      'guess with an EAGLE-3 draft model',
      { guesses: 'eagle3', target: 16n },
      { ctx_type: CONTEXT_TYPE.default, ctx_other: 16n },
    ],
  ])('%s', (_, options, expected) => {
    expect(toContextParams(DEFAULTS, { ...OPTIONS, ...options }, 8n)).toMatchObject(expected);
  });
});
