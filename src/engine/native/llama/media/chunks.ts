import type { Media } from '../../../../contract/media.ts';
import { unreadableMedia } from '../../../unreadable-media.ts';
import { addressOf, copyInto, type MediaBindings } from '../library/bindings.ts';
import type { Pointer } from '../library/pointer.ts';
import type { Token } from '../tokens/token.ts';
import { GRID_DIMENSIONS, type MediaRows } from './rows.ts';
import { CHUNK_TYPE } from './structs.ts';

/** A chunk of an image or a recording: tokens that a model has around its media, or media to be encoded. */
export type MediaChunk =
  | { tokens: Token[] }
  | {
      /** The number of tokens. */
      count: number;
      /** The number of positions that the tokens take if all of them have the same one; null if each has the next. */
      positions: number | null;
      /** True if the tokens attend to one another in both directions. */
      bothWays: boolean;
    };

/** The functions of libmtmd with the projector that they work with. */
export interface MediaContext {
  mtmd: MediaBindings;
  context: Pointer;
  /** The numbers of an embedding. */
  width: number;
  /** True if a token has four positions (M-RoPE). */
  hasGrid: boolean;
}

/**
 * Cuts an image of a size into chunks without its pixels. Throws a 400 `ApiError` for an image that the projector cannot
 * take.
 */
export async function cutImage(
  { mtmd, context }: MediaContext,
  { width, height }: { width: number; height: number },
): Promise<Pointer> {
  return cutBitmap(mtmd, context, mtmd.mtmd_bitmap_init(width, height, null));
}

/**
 * Decodes an image or a recording, and cuts it into chunks. The caller frees them. Throws a 400 `ApiError` for a file
 * that is damaged or that the projector cannot take.
 */
export async function cutMedia({ mtmd, context }: MediaContext, { kind, bytes }: Media): Promise<Pointer> {
  const options = mtmd.mtmd_helper_init_opt_default();
  const file = bytes.length < LEAST_BYTES ? Uint8Array.from({ length: LEAST_BYTES }, (_, at) => bytes[at] ?? 0) : bytes;
  const { bitmap } = await mtmd.mtmd_helper_bitmap_init_from_buf.async(context, file, bytes.length, false, options);
  if (!bitmap) throw unreadableMedia();
  const isAudio = mtmd.mtmd_bitmap_is_audio(bitmap);
  // libmtmd ends the process for a recording of a single sample.
  const isTooShort = isAudio && mtmd.mtmd_bitmap_get_n_bytes(bitmap) <= SAMPLE_BYTES;
  if (isAudio === (kind === 'audio') && !isTooShort) return cutBitmap(mtmd, context, bitmap);
  mtmd.mtmd_bitmap_free(bitmap);
  throw unreadableMedia();
}

/** The memory of a shorter array may be moved while C reads it. */
const LEAST_BYTES = 128;
const SAMPLE_BYTES = 4;

async function cutBitmap(mtmd: MediaBindings, context: Pointer, bitmap: Pointer): Promise<Pointer> {
  const marker = mtmd.mtmd_default_marker();
  const text = Buffer.alloc(LEAST_BYTES, marker);
  const bitmaps = new BigUint64Array(LEAST_BYTES);
  bitmaps[0] = bitmap;
  const chunks = mtmd.mtmd_input_chunks_init();
  const input = { text: addressOf(text), text_len: marker.length, add_special: false, parse_special: false };
  const result = await mtmd.mtmd_tokenize.async(context, chunks, input, bitmaps, 1);
  mtmd.mtmd_bitmap_free(bitmap);
  if (result === 0) return chunks;
  mtmd.mtmd_input_chunks_free(chunks);
  throw unreadableMedia();
}

/** Returns what chunks are made of. */
export function describeChunks({ mtmd, context, hasGrid }: MediaContext, chunks: Pointer): MediaChunk[] {
  return Array.from({ length: Number(mtmd.mtmd_input_chunks_size(chunks)) }, (_, index) => {
    const chunk = mtmd.mtmd_input_chunks_get(chunks, index);
    if (mtmd.mtmd_input_chunk_get_type(chunk) === CHUNK_TYPE.text) return { tokens: textTokens(mtmd, chunk) };
    const count = Number(mtmd.mtmd_input_chunk_get_n_tokens(chunk));
    return {
      count,
      positions: hasGrid && count > 1 && isStill(mtmd, chunk, count) ? mtmd.mtmd_input_chunk_get_n_pos(chunk) : null,
      bothWays: mtmd.mtmd_decode_use_non_causal(context, chunk),
    };
  });
}

/** True if all tokens of a chunk have the position at which the chunk begins. */
function isStill(mtmd: MediaBindings, chunk: Pointer, count: number): boolean {
  const image = mtmd.mtmd_input_chunk_get_tokens_image(chunk);
  return image !== null && mtmd.mtmd_image_tokens_get_decoder_pos(image, 0, count - 1).t === 0;
}

function textTokens(mtmd: MediaBindings, chunk: Pointer): Token[] {
  const length = new BigUint64Array(LEAST_BYTES);
  const address = mtmd.mtmd_input_chunk_get_tokens_text(chunk, length);
  const count = Number(length[0]);
  if (!address || count === 0) return [];
  const tokens = new Int32Array(Math.max(LEAST_BYTES, count));
  copyInto(tokens.subarray(0, count), address);
  return [...tokens.subarray(0, count)];
}

/** Computes the embeddings of a chunk. Throws a plain error if that fails. No other chunk may be encoded meanwhile. */
export async function encodeChunk({ mtmd, context, width, hasGrid }: MediaContext, chunk: Pointer): Promise<MediaRows> {
  const result = await mtmd.mtmd_encode_chunk.async(context, chunk);
  if (result !== 0) throw new Error(`llama.cpp could not encode an image or a recording (${result})`);
  const count = Number(mtmd.mtmd_input_chunk_get_n_tokens(chunk));
  const embeddings = new Float32Array(Math.max(LEAST_BYTES, count * width)).subarray(0, count * width);
  copyInto(embeddings, mtmd.mtmd_get_output_embd(context));
  return {
    embeddings,
    width,
    offset: 0,
    grid: hasGrid ? gridOf(mtmd, chunk, count) : null,
    bothWays: mtmd.mtmd_decode_use_non_causal(context, chunk),
  };
}

/** Returns the four positions of each token, counted from that of the chunk. */
function gridOf(mtmd: MediaBindings, chunk: Pointer, count: number): Int32Array {
  const image = mtmd.mtmd_input_chunk_get_tokens_image(chunk);
  const places = Array.from({ length: count }, (_, index) =>
    image ? mtmd.mtmd_image_tokens_get_decoder_pos(image, 0, index) : { t: index, x: index, y: index, z: 0 },
  );
  const grid = new Int32Array(GRID_DIMENSIONS * count);
  // llama.cpp takes the row before the column.
  for (const [index, { t, x, y, z }] of places.entries())
    for (const [dimension, position] of [t, y, x, z].entries()) grid[dimension * count + index] = position;
  return grid;
}
