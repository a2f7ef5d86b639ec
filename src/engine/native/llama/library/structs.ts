import koffi from 'koffi';
import { MEDIA_STRUCTS } from '../media/structs.ts';
import type { Pointer } from './pointer.ts';

// The structs of llama.h and ggml.h that are passed by value, for the llama.cpp of the pinned node-llama-cpp. `abi.ts` compares their
// defaults with the library, and test/engine/native/llama/library/abi.test.ts their layout with the header.

/** `enum ggml_type`: the formats of weights and of a KV cache. */
export const GGML_TYPE = {
  f32: 0,
  f16: 1,
  q4_0: 2,
  q4_1: 3,
  q5_0: 6,
  q5_1: 7,
  q8_0: 8,
  q4_K: 12,
  q5_K: 13,
  q6_K: 14,
  iq4_nl: 20,
  bf16: 30,
} as const;

/** `enum llama_pooling_type`. */
export const POOLING = { unspecified: -1, none: 0, mean: 1, cls: 2, last: 3, rank: 4 } as const;

/** `enum llama_flash_attn_type`. */
export const FLASH_ATTENTION = { auto: -1, disabled: 0, enabled: 1 } as const;

/** `enum llama_context_type`. */
export const CONTEXT_TYPE = { default: 0, mtp: 1 } as const;

/** `enum llama_split_mode`. */
export const SPLIT_MODE = { none: 0, layer: 1, row: 2 } as const;

/** `enum llama_token_attr`: the bits of a token's attributes. */
export const TOKEN_ATTRIBUTE = { unknown: 1, unused: 2, normal: 4, control: 8, userDefined: 16, byte: 32 } as const;

/** `enum ggml_backend_dev_type`. */
export const DEVICE_TYPE = { cpu: 0, gpu: 1, integratedGpu: 2, accelerator: 3 } as const;

/** `struct llama_model_params`: how a model is loaded. */
export interface ModelParams {
  devices: Pointer | null;
  tensor_buft_overrides: Pointer | null;
  n_gpu_layers: number;
  split_mode: number;
  load_mode: number;
  lazy_mode: number;
  main_gpu: number;
  tensor_split: Pointer | null;
  progress_callback: Pointer | null;
  progress_callback_user_data: Pointer | null;
  kv_overrides: Pointer | null;
  vocab_only: boolean;
  check_tensors: boolean;
  use_extra_bufts: boolean;
  no_host: boolean;
  no_alloc: boolean;
  load_mtp: boolean;
}

/** `struct llama_context_params`: how a context is made. */
export interface ContextParams {
  n_ctx: number;
  n_batch: number;
  n_ubatch: number;
  n_seq_max: number;
  n_rs_seq: number;
  n_outputs_max: number;
  n_outputs_max_per_seq: number;
  n_threads: number;
  n_threads_batch: number;
  ctx_type: number;
  rope_scaling_type: number;
  pooling_type: number;
  attention_type: number;
  flash_attn_type: number;
  rope_freq_base: number;
  rope_freq_scale: number;
  yarn_ext_factor: number;
  yarn_attn_factor: number;
  yarn_beta_fast: number;
  yarn_beta_slow: number;
  yarn_orig_ctx: number;
  defrag_thold: number;
  cb_eval: Pointer | null;
  cb_eval_user_data: Pointer | null;
  type_k: number;
  type_v: number;
  abort_callback: Pointer | null;
  abort_callback_data: Pointer | null;
  embeddings: boolean;
  offload_kqv: boolean;
  no_perf: boolean;
  op_offload: boolean;
  swa_full: boolean;
  kv_unified: boolean;
  samplers: Pointer | null;
  n_samplers: number;
  ctx_other: Pointer | null;
}

/** `struct llama_batch`: the tokens of one forward pass, as arrays of llama.cpp. */
export interface Batch {
  n_tokens: number;
  token: Pointer | null;
  embd: Pointer | null;
  pos: Pointer | null;
  n_seq_id: Pointer | null;
  seq_id: Pointer | null;
  logits: Pointer | null;
}

/** `struct llama_token_data_array`: the candidates for the next token, which samplers change in place. */
export interface TokenDataArray {
  data: Pointer;
  size: number;
  selected: number;
  sorted: boolean;
}

/** `struct ggml_threadpool_params`, without the mask of cores, which stays as the library sets it. */
export interface ThreadPoolParams {
  cpumask: boolean[];
  n_threads: number;
  prio: number;
  poll: number;
  strict_cpu: boolean;
  paused: boolean;
}

const POINTER = 'void *';

/** The C types of each struct, in order. */
export const STRUCTS = {
  llama_model_params: {
    devices: POINTER,
    tensor_buft_overrides: POINTER,
    n_gpu_layers: 'int32_t',
    split_mode: 'int32_t',
    load_mode: 'int32_t',
    lazy_mode: 'int32_t',
    main_gpu: 'int32_t',
    tensor_split: POINTER,
    progress_callback: POINTER,
    progress_callback_user_data: POINTER,
    kv_overrides: POINTER,
    vocab_only: 'bool',
    check_tensors: 'bool',
    use_extra_bufts: 'bool',
    no_host: 'bool',
    no_alloc: 'bool',
    load_mtp: 'bool',
  } satisfies Record<keyof ModelParams, string>,
  llama_context_params: {
    n_ctx: 'uint32_t',
    n_batch: 'uint32_t',
    n_ubatch: 'uint32_t',
    n_seq_max: 'uint32_t',
    n_rs_seq: 'uint32_t',
    n_outputs_max: 'uint32_t',
    n_outputs_max_per_seq: 'uint32_t',
    n_threads: 'int32_t',
    n_threads_batch: 'int32_t',
    ctx_type: 'int32_t',
    rope_scaling_type: 'int32_t',
    pooling_type: 'int32_t',
    attention_type: 'int32_t',
    flash_attn_type: 'int32_t',
    rope_freq_base: 'float',
    rope_freq_scale: 'float',
    yarn_ext_factor: 'float',
    yarn_attn_factor: 'float',
    yarn_beta_fast: 'float',
    yarn_beta_slow: 'float',
    yarn_orig_ctx: 'uint32_t',
    defrag_thold: 'float',
    cb_eval: POINTER,
    cb_eval_user_data: POINTER,
    type_k: 'int32_t',
    type_v: 'int32_t',
    abort_callback: POINTER,
    abort_callback_data: POINTER,
    embeddings: 'bool',
    offload_kqv: 'bool',
    no_perf: 'bool',
    op_offload: 'bool',
    swa_full: 'bool',
    kv_unified: 'bool',
    samplers: POINTER,
    n_samplers: 'size_t',
    ctx_other: POINTER,
  } satisfies Record<keyof ContextParams, string>,
  llama_batch: {
    n_tokens: 'int32_t',
    token: POINTER,
    embd: POINTER,
    pos: POINTER,
    n_seq_id: POINTER,
    seq_id: POINTER,
    logits: POINTER,
  } satisfies Record<keyof Batch, string>,
  llama_token_data_array: {
    data: POINTER,
    size: 'size_t',
    selected: 'int64_t',
    sorted: 'bool',
  } satisfies Record<keyof TokenDataArray, string>,
} as const;

/** Returns the offset of a field in a struct, in bytes. */
export function offsetOf<Name extends keyof typeof STRUCTS>(name: Name, field: keyof (typeof STRUCTS)[Name] & string) {
  declareStructs();
  return koffi.offsetof(name, field);
}

let declared = false;

/** Makes the structs known to koffi, by their names in C. May be called more than once. */
export function declareStructs(): void {
  if (declared) return;
  declared = true;
  for (const [name, fields] of Object.entries({ ...STRUCTS, ...MEDIA_STRUCTS })) koffi.struct(name, fields);
  koffi.struct('llama_sampler_chain_params', { no_perf: 'bool' });
  koffi.struct('ggml_threadpool_params', {
    cpumask: koffi.array('bool', 512),
    n_threads: 'int32_t',
    prio: 'int32_t',
    poll: 'uint32_t',
    strict_cpu: 'bool',
    paused: 'bool',
  });
}
