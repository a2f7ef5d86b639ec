import type { LoadParams } from '@wllama/wllama/esm/index.js';
import { roundContext } from '../context-length.ts';
import type { ModelKind } from '../engine.ts';
import type { ProjectorNeeds } from './projector.ts';

/** wllama's settings for keys and values as floats. Flash attention would convert them to half floats first. */
export const FLOAT_CACHE = { cache_type_k: 'f32', cache_type_v: 'f32', flash_attn: false } as const;

/** wllama's settings for keys and values in 8 bits, which llama.cpp reads with flash attention only. */
const QUANTIZED_CACHE = { cache_type_k: 'q8_0', cache_type_v: 'q8_0', flash_attn: true } as const;

/** The formats of keys and values besides half floats. WebAssembly has `f32`, WebGPU `q8_0`. */
export type WasmCache = 'f32' | 'q8_0';

/** wllama's settings for each format. */
export const CACHES = { f32: FLOAT_CACHE, q8_0: QUANTIZED_CACHE };

/** How to load a model: the sizes are in tokens, threads and layers. */
export interface WasmLoadPlan {
  kind: ModelKind;
  contextLength: number;
  threads: number;
  /** Tokens in one forward pass of a chat model. */
  batchSize: number;
  gpuLayers: number;
  /** The format of keys and values; half floats if absent. */
  cache?: WasmCache;
}

/**
 * Turns a plan into wllama's parameters. `n_threads` is the number of workers; `computeWith` sets how many of them
 * compute.
 */
export function loadParams(plan: WasmLoadPlan, { passSize, helpers }: ProjectorNeeds): LoadParams {
  const { kind, contextLength, threads, batchSize, gpuLayers, cache } = plan;
  // A text becomes a vector in one pass, so the batch must hold all of it.
  const batch = kind === 'chat' ? Math.max(batchSize, passSize) : roundContext(contextLength);
  return {
    n_ctx: contextLength,
    n_batch: batch,
    n_ubatch: batch,
    // One of the computing threads is not a worker.
    n_threads: helpers === 0 ? threads : threads - 1 + helpers,
    n_gpu_layers: gpuLayers,
    ...(cache && CACHES[cache]),
    // One slot is enough: llama-server keeps earlier prompts outside of the context and finds them again.
    n_parallel: 1,
    ctx_shift: false,
    // The chat layer renders the model's own template. This one keeps llama.cpp from testing the model's template
    // during the load.
    chat_template: '{{ messages[0].content }}',
    ...(kind !== 'chat' && { embeddings: true }),
    ...(kind === 'rerank' && { pooling_type: 'rank' }),
    log_level: 3,
  };
}
