import { declare } from '../library/functions.ts';
import type { Pointer } from '../library/pointer.ts';
import type { DecoderPosition, HelperBitmap, HelperOptions, InputText, MediaParams } from './structs.ts';

/** The functions of mtmd.h and mtmd-helper.h that Paddock calls, in the form of `FUNCTIONS`. */
export const MEDIA_FUNCTIONS = {
  mtmd_context_params_default: declare<() => MediaParams>('mtmd_context_params mtmd_context_params_default()'),
  mtmd_default_marker: declare<() => string>('const char *mtmd_default_marker()'),
  /** Returns null if the projector can't be loaded; the log has the reason. */
  mtmd_init_from_file: declare<(path: string, model: Pointer, params: MediaParams) => Pointer | null>(
    'void *mtmd_init_from_file(const char *path, void *model, mtmd_context_params params)',
  ),
  mtmd_free: declare<(context: Pointer) => void>('void mtmd_free(void *context)'),
  /** Sets the function that gets the log of libmtmd. */
  mtmd_helper_log_set: declare<(callback: Pointer | null, data: Pointer | null) => void>(
    'void mtmd_helper_log_set(void *callback, void *data)',
  ),
  /** True if the tokens of a chunk attend to one another in both directions; null stands for an image. */
  mtmd_decode_use_non_causal: declare<(context: Pointer, chunk: Pointer | null) => boolean>(
    'bool mtmd_decode_use_non_causal(void *context, void *chunk)',
  ),
  mtmd_decode_use_mrope: declare<(context: Pointer) => boolean>('bool mtmd_decode_use_mrope(void *context)'),
  mtmd_support_vision: declare<(context: Pointer) => boolean>('bool mtmd_support_vision(void *context)'),
  mtmd_support_audio: declare<(context: Pointer) => boolean>('bool mtmd_support_audio(void *context)'),

  /** Makes a bitmap of an image; without pixels, one that only has its size. */
  mtmd_bitmap_init: declare<(width: number, height: number, pixels: Uint8Array | null) => Pointer>(
    'void *mtmd_bitmap_init(uint32_t width, uint32_t height, const uint8_t *pixels)',
  ),
  mtmd_bitmap_is_audio: declare<(bitmap: Pointer) => boolean>('bool mtmd_bitmap_is_audio(void *bitmap)'),
  mtmd_bitmap_get_n_bytes: declare<(bitmap: Pointer) => number>('size_t mtmd_bitmap_get_n_bytes(void *bitmap)'),
  mtmd_bitmap_free: declare<(bitmap: Pointer) => void>('void mtmd_bitmap_free(void *bitmap)'),
  mtmd_helper_init_opt_default: declare<() => HelperOptions>('mtmd_helper_init_opt mtmd_helper_init_opt_default()'),
  /** Decodes an image or a recording. The bitmap is null if the file can't be read. */
  mtmd_helper_bitmap_init_from_buf: declare<
    (context: Pointer, file: Uint8Array, bytes: number, empty: boolean, options: HelperOptions) => HelperBitmap
  >(
    'mtmd_helper_bitmap_wrapper mtmd_helper_bitmap_init_from_buf(void *context, const uint8_t *file, size_t bytes, bool empty, mtmd_helper_init_opt options)',
  ),

  mtmd_input_chunks_init: declare<() => Pointer>('void *mtmd_input_chunks_init()'),
  mtmd_input_chunks_free: declare<(chunks: Pointer) => void>('void mtmd_input_chunks_free(void *chunks)'),
  mtmd_input_chunks_size: declare<(chunks: Pointer) => number>('size_t mtmd_input_chunks_size(void *chunks)'),
  mtmd_input_chunks_get: declare<(chunks: Pointer, index: number) => Pointer>(
    'void *mtmd_input_chunks_get(void *chunks, size_t index)',
  ),
  mtmd_input_chunk_get_type: declare<(chunk: Pointer) => number>('int mtmd_input_chunk_get_type(void *chunk)'),
  mtmd_input_chunk_get_n_tokens: declare<(chunk: Pointer) => number>(
    'size_t mtmd_input_chunk_get_n_tokens(void *chunk)',
  ),
  mtmd_input_chunk_get_n_pos: declare<(chunk: Pointer) => number>('int32_t mtmd_input_chunk_get_n_pos(void *chunk)'),
  /** Returns the tokens of a chunk of text, and fills in their number. */
  mtmd_input_chunk_get_tokens_text: declare<(chunk: Pointer, count: BigUint64Array) => Pointer | null>(
    'void *mtmd_input_chunk_get_tokens_text(void *chunk, size_t *count)',
  ),
  mtmd_input_chunk_get_tokens_image: declare<(chunk: Pointer) => Pointer | null>(
    'void *mtmd_input_chunk_get_tokens_image(void *chunk)',
  ),
  mtmd_image_tokens_get_decoder_pos: declare<(image: Pointer, start: number, index: number) => DecoderPosition>(
    'mtmd_decoder_pos mtmd_image_tokens_get_decoder_pos(void *image, int32_t start, size_t index)',
  ),
  /**
   * Cuts a text with markers into chunks, and prepares the bitmap of each marker. Returns 0; 1 if there are not as many
   * bitmaps as markers; or 2 if a bitmap can't be prepared.
   */
  mtmd_tokenize: declare<
    (context: Pointer, chunks: Pointer, text: InputText, bitmaps: BigUint64Array, count: number) => number
  >('int32_t mtmd_tokenize(void *context, void *chunks, mtmd_input_text *text, void *bitmaps, size_t count)'),
  /** Computes the embeddings of a chunk. Returns 0, or another number if it fails. */
  mtmd_encode_chunk: declare<(context: Pointer, chunk: Pointer) => number>(
    'int32_t mtmd_encode_chunk(void *context, void *chunk)',
  ),
  /** Returns the embeddings of the chunk that was encoded last. */
  mtmd_get_output_embd: declare<(context: Pointer) => Pointer>('void *mtmd_get_output_embd(void *context)'),
} as const;
