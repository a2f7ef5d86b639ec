import type { LoadParams } from '@wllama/wllama/esm/index.js';
import { roundContext } from '../context-length.ts';
import type { ModelKind } from '../engine.ts';
import { MOST_WASM_BATCH } from '../memory-estimate.ts';
import type { ProjectorNeeds } from './projector.ts';

/** The batch size on WebGPU, in tokens. A GPU computes many tokens in the time of one. */
const WEBGPU_BATCH = 32;

/** How to load a model: the sizes are in tokens, threads and layers. */
export interface WasmLoadPlan {
  kind: ModelKind;
  contextLength: number;
  threads: number;
  batchSize?: number | undefined;
  gpuLayers: number;
  flashAttention?: boolean | undefined;
}

/**
 * Turns a plan into wllama's parameters. `n_threads` is the number of workers; `computeWith` sets how many of them
 * compute.
 */
export function loadParams(plan: WasmLoadPlan, { passSize, helpers }: ProjectorNeeds): LoadParams {
  const { kind, contextLength, threads, gpuLayers, flashAttention } = plan;
  const { batchSize = gpuLayers > 0 ? WEBGPU_BATCH : MOST_WASM_BATCH } = plan;
  // A text becomes a vector in one pass, so the batch must hold all of it.
  const batch = kind === 'chat' ? Math.max(batchSize, passSize) : roundContext(contextLength);
  return {
    n_ctx: contextLength,
    n_batch: batch,
    n_ubatch: batch,
    // One of the computing threads is not a worker.
    n_threads: helpers === 0 ? threads : threads - 1 + helpers,
    n_gpu_layers: gpuLayers,
    ...(flashAttention !== undefined && { flash_attn: flashAttention }),
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
