import type { MediaParams } from '../media/structs.ts';
import type { Bindings, MediaBindings } from './bindings.ts';
import type { ContextParams, ModelParams } from './structs.ts';

/**
 * The default parameters of llama.cpp v0.5.0, from `llama_model_default_params` in src/llama-model.cpp and
 * `llama_context_default_params` in src/llama-context.cpp. If the struct of the library had another layout, most fields would be read
 * from the wrong place.
 */
const MODEL_DEFAULTS: ModelParams = {
  devices: null,
  tensor_buft_overrides: null,
  n_gpu_layers: -1,
  split_mode: 1,
  load_mode: -1,
  lazy_mode: 1,
  main_gpu: 0,
  tensor_split: null,
  progress_callback: null,
  progress_callback_user_data: null,
  kv_overrides: null,
  vocab_only: false,
  check_tensors: false,
  use_extra_bufts: true,
  no_host: false,
  no_alloc: false,
  load_mtp: false,
};

const CONTEXT_DEFAULTS: ContextParams = {
  n_ctx: 512,
  n_batch: 2048,
  n_ubatch: 512,
  n_seq_max: 1,
  n_rs_seq: 0,
  n_outputs_max: 0,
  n_outputs_max_per_seq: 1,
  n_threads: 4,
  n_threads_batch: 4,
  ctx_type: 0,
  rope_scaling_type: -1,
  pooling_type: -1,
  attention_type: -1,
  flash_attn_type: -1,
  rope_freq_base: 0,
  rope_freq_scale: 0,
  yarn_ext_factor: -1,
  yarn_attn_factor: -1,
  yarn_beta_fast: -1,
  yarn_beta_slow: -1,
  yarn_orig_ctx: 0,
  defrag_thold: -1,
  cb_eval: null,
  cb_eval_user_data: null,
  type_k: 1,
  type_v: 1,
  abort_callback: null,
  abort_callback_data: null,
  embeddings: false,
  offload_kqv: true,
  no_perf: true,
  op_offload: true,
  swa_full: true,
  kv_unified: false,
  samplers: null,
  n_samplers: 0,
  ctx_other: null,
};

/** The defaults of `mtmd_context_params_default` in tools/mtmd/mtmd.cpp, without the address of the marker. */
const MEDIA_DEFAULTS: Omit<MediaParams, 'media_marker'> = {
  use_gpu: true,
  device: null,
  print_timings: true,
  n_threads: 4,
  image_marker: null,
  flash_attn_type: -1,
  warmup: true,
  image_min_tokens: -1,
  image_max_tokens: -1,
  cb_eval: null,
  cb_eval_user_data: null,
  batch_max_tokens: 1024,
  progress_callback: null,
  progress_callback_user_data: null,
};

/** A field whose default in the library is another one than expected. */
export interface Mismatch {
  field: string;
  expected: unknown;
  actual: unknown;
}

/** Returns the fields of `actual` that differ from `expected`, in order. */
export function findMismatches(struct: string, expected: object, actual: object): Mismatch[] {
  return Object.entries(expected)
    .map(
      ([field, value]): Mismatch => ({
        field: `${struct}.${field}`,
        expected: value,
        actual: (actual as Record<string, unknown>)[field],
      }),
    )
    .filter((field) => field.expected !== field.actual);
}

/**
 * Compares the default parameters of the library with the defaults of the llama.cpp that Paddock's structs were written
 * for.
 *
 * @throws an Error that names the first field that differs: nothing of the library may be used then
 */
export function checkAbi(
  bindings: Pick<Bindings, 'llama_model_default_params' | 'llama_context_default_params' | 'llama_version'>,
): void {
  const [mismatch] = [
    ...findMismatches('llama_model_params', MODEL_DEFAULTS, bindings.llama_model_default_params()),
    ...findMismatches('llama_context_params', CONTEXT_DEFAULTS, bindings.llama_context_default_params()),
  ];
  refuse(`llama.cpp ${bindings.llama_version()}`, mismatch);
}

/** Compares the defaults of libmtmd as `checkAbi` compares those of llama.cpp. Throws an Error if one differs. */
export function checkMediaAbi(media: Pick<MediaBindings, 'mtmd_context_params_default'>): void {
  const [mismatch] = findMismatches('mtmd_context_params', MEDIA_DEFAULTS, media.mtmd_context_params_default());
  refuse('libmtmd', mismatch);
}

function refuse(library: string, mismatch: Mismatch | undefined): void {
  if (!mismatch) return;
  const { field, expected, actual } = mismatch;
  throw new Error(`${library} has another API than Paddock was written for: ${field} is ${actual}, not ${expected}`);
}
