import type { Pointer } from '../library/pointer.ts';

// The structs of mtmd.h and mtmd-helper.h that are passed by value. `test/engine/native/llama/library/abi.test.ts` compares them
// with the headers.

/** `enum mtmd_input_chunk_type`. */
export const CHUNK_TYPE = { text: 0, image: 1, audio: 2 } as const;

/** `struct mtmd_context_params`: how a projector is loaded. */
export interface MediaParams {
  use_gpu: boolean;
  device: Pointer | null;
  print_timings: boolean;
  n_threads: number;
  image_marker: Pointer | null;
  media_marker: Pointer | null;
  flash_attn_type: number;
  warmup: boolean;
  image_min_tokens: number;
  image_max_tokens: number;
  cb_eval: Pointer | null;
  cb_eval_user_data: Pointer | null;
  batch_max_tokens: number;
  progress_callback: Pointer | null;
  progress_callback_user_data: Pointer | null;
}

/** `struct mtmd_input_text`: a text in UTF-8, which is not copied. */
export interface InputText {
  text: Pointer;
  text_len: number;
  add_special: boolean;
  parse_special: boolean;
}

/** `struct mtmd_decoder_pos`: the four positions of an embedding in M-RoPE. */
export interface DecoderPosition {
  t: number;
  x: number;
  y: number;
  z: number;
}

/** `struct mtmd_helper_video_init_params`. */
export interface VideoOptions {
  fps_target: number;
  ffmpeg_bin_dir: Pointer | null;
  timestamp_interval_ms: number;
}

/** `struct mtmd_helper_init_opt`. */
export interface HelperOptions {
  video_params: VideoOptions;
}

/** `struct mtmd_helper_bitmap_wrapper`: a decoded file. */
export interface HelperBitmap {
  bitmap: Pointer | null;
  video_ctx: Pointer | null;
}

const POINTER = 'void *';

/** The C types of each struct, in order. A struct comes after those that it contains. */
export const MEDIA_STRUCTS = {
  mtmd_context_params: {
    use_gpu: 'bool',
    device: POINTER,
    print_timings: 'bool',
    n_threads: 'int32_t',
    image_marker: POINTER,
    media_marker: POINTER,
    flash_attn_type: 'int32_t',
    warmup: 'bool',
    image_min_tokens: 'int32_t',
    image_max_tokens: 'int32_t',
    cb_eval: POINTER,
    cb_eval_user_data: POINTER,
    batch_max_tokens: 'int32_t',
    progress_callback: POINTER,
    progress_callback_user_data: POINTER,
  } satisfies Record<keyof MediaParams, string>,
  mtmd_input_text: {
    text: POINTER,
    text_len: 'size_t',
    add_special: 'bool',
    parse_special: 'bool',
  } satisfies Record<keyof InputText, string>,
  mtmd_decoder_pos: {
    t: 'uint32_t',
    x: 'uint32_t',
    y: 'uint32_t',
    z: 'uint32_t',
  } satisfies Record<keyof DecoderPosition, string>,
  mtmd_helper_video_init_params: {
    fps_target: 'float',
    ffmpeg_bin_dir: POINTER,
    timestamp_interval_ms: 'int64_t',
  } satisfies Record<keyof VideoOptions, string>,
  mtmd_helper_init_opt: {
    video_params: 'mtmd_helper_video_init_params',
  } satisfies Record<keyof HelperOptions, string>,
  mtmd_helper_bitmap_wrapper: {
    bitmap: POINTER,
    video_ctx: POINTER,
  } satisfies Record<keyof HelperBitmap, string>,
} as const;
