import { createHash } from 'node:crypto';
import { type Media, MOST_PIXELS } from '../../../../contract/media.ts';
import { createTurns } from '../../../../utils/turns.ts';
import { findMediaLibrary } from '../../../node/media-library.ts';
import { unreadableMedia } from '../../../unreadable-media.ts';
import { checkMediaAbi } from '../library/abi.ts';
import { bindMedia, type MediaBindings } from '../library/bindings.ts';
import type { Pointer } from '../library/pointer.ts';
import type { LlamaModel } from '../model.ts';
import type { Token } from '../tokens/token.ts';
import { cutImage, cutMedia, describeChunks, encodeChunk, type MediaChunk, type MediaContext } from './chunks.ts';
import type { MediaRows } from './rows.ts';
import { type MediaLayout, MOST_POSITIONS, mediaTokens } from './token.ts';

/** The part of a model that turns images and recordings into embeddings. The model owns it. */
export interface Projector {
  /** True if the tokens of an image have to be evaluated in one pass. */
  readonly needsWholePieces: boolean;
  /**
   * Finds the tokens of an image or a recording. The pixels of an image are decoded when it is encoded. Throws a 400
   * `ApiError` for a file that the projector cannot take.
   */
  read(media: Media): Promise<MediaReading>;
}

/** The tokens of an image or a recording. To be closed when none of its pieces is needed any more. */
export interface MediaReading {
  /** Tokens that the model has around its media, and pieces of media, in order. */
  readonly parts: readonly (Token[] | MediaPiece)[];
  close(): void;
}

/** A part of an image or a recording that is encoded at once. */
export interface MediaPiece {
  readonly tokens: readonly Token[];
  /** True if all tokens have to be evaluated in one pass. */
  readonly whole: boolean;
  /**
   * Computes the embeddings of the tokens, after the encodings that were asked for before. Throws a 400 `ApiError` for a
   * damaged file, and a plain error if encoding fails or the model is closed. An abort of the signal ends the waiting
   * for other encodings, and not an encoding that is under way.
   */
  encode(signal: AbortSignal): Promise<MediaRows>;
}

/** The file of a projector, and what it computes with. */
export interface ProjectorOptions {
  path: string;
  threads: number;
  gpu: boolean;
}

/**
 * Loads the projector of a model. Throws a plain error with the reason if libmtmd is not built or does not fit, or if it
 * refuses the file.
 */
export async function openProjector(model: LlamaModel, options: ProjectorOptions): Promise<Projector> {
  const { mtmd, context } = await openContext(model, options);
  let isOpen = true;
  let calls: Promise<unknown> = Promise.resolve();
  model.own({
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      await calls;
      mtmd.mtmd_free(context);
    },
  });
  /** Keeps the projector from being freed until the work has ended. */
  const during = <T>(work: () => Promise<T>): Promise<T> => {
    if (!isOpen) return Promise.reject(new Error('the projector is closed'));
    const ended = work();
    calls = Promise.allSettled([calls, ended]);
    return ended;
  };
  const inTurn = createTurns();
  const ground: MediaContext = {
    mtmd,
    context,
    width: model.library.llama.llama_model_n_embd_inp(model.handle),
    hasGrid: mtmd.mtmd_decode_use_mrope(context),
  };
  const senses = { image: mtmd.mtmd_support_vision(context), audio: mtmd.mtmd_support_audio(context) };

  return {
    needsWholePieces: mtmd.mtmd_decode_use_non_causal(context, null),
    async read(media) {
      if (!senses[media.kind]) throw unreadableMedia();
      const digest = createHash('sha256').update(media.kind).update(media.bytes).digest();
      const chunks = createChunks(ground, media);
      const found = await during(chunks.describe);
      const last = found.findLastIndex((chunk) => 'count' in chunk);
      return {
        parts: found.map((chunk, index) => {
          if ('tokens' in chunk) return chunk.tokens;
          return {
            tokens: mediaTokens(seedOf(digest, index), chunk.count, layoutOf(chunk)),
            whole: chunk.bothWays,
            encode: (signal) =>
              inTurn(() =>
                during(async () => {
                  signal.throwIfAborted();
                  const rows = await chunks.encode(index, chunk.count);
                  if (index === last) chunks.free();
                  return rows;
                }),
              ),
          };
        }),
        close: () => void inTurn(async () => chunks.free()),
      };
    },
  };
}

/** Opens libmtmd and loads the file. */
async function openContext(
  model: LlamaModel,
  { path, threads, gpu }: ProjectorOptions,
): Promise<{ mtmd: MediaBindings; context: Pointer }> {
  const { paths, logTo, takeError } = model.library;
  const library = findMediaLibrary();
  if (library.path === null) throw new Error(library.reason);
  const mtmd = bindMedia(library.path, paths);
  checkMediaAbi(mtmd);
  mtmd.mtmd_helper_log_set(logTo, null);
  takeError();
  const context = await mtmd.mtmd_init_from_file.async(path, model.handle, {
    ...mtmd.mtmd_context_params_default(),
    use_gpu: gpu,
    print_timings: false,
    n_threads: threads,
  });
  if (!context) throw new Error(`llama.cpp could not load the projector: ${takeError()}`);
  return { mtmd, context };
}

/** The chunks of one image or recording. Decoded media are kept from the first to the last encoding. */
function createChunks(ground: MediaContext, media: Media) {
  const { mtmd } = ground;
  let kept: Pointer | null = null;

  const decode = async (): Promise<Pointer> => {
    kept ??= await cutMedia(ground, media);
    return kept;
  };
  const free = () => {
    if (kept !== null) mtmd.mtmd_input_chunks_free(kept);
    kept = null;
  };

  return {
    free,
    /** Cuts an image by its size alone. Only the samples of a recording tell its length. */
    async describe(): Promise<MediaChunk[]> {
      if (media.kind === 'audio') return describeChunks(ground, await decode());
      const chunks = await cutImage(ground, sizeOf(media.bytes));
      const found = describeChunks(ground, chunks);
      mtmd.mtmd_input_chunks_free(chunks);
      return found;
    },
    /** Encodes the chunk at `index`, which must have `count` tokens. */
    async encode(index: number, count: number): Promise<MediaRows> {
      const rows = await encodeChunk(ground, mtmd.mtmd_input_chunks_get(await decode(), index));
      if (rows.embeddings.length === count * rows.width) return rows;
      throw new Error(`an image has ${rows.embeddings.length / rows.width} tokens, and not ${count} as its size tells`);
    },
  };
}

/** The eight bytes that every PNG begins with; then comes its header with the size. */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const PNG_HEADER_BYTES = 24;

/** Returns the size of a PNG in pixels. Throws a 400 `ApiError` for another file. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } {
  if (bytes.length < PNG_HEADER_BYTES || PNG.some((byte, index) => bytes[index] !== byte)) throw unreadableMedia();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = { width: view.getUint32(16), height: view.getUint32(20) };
  if (size.width === 0 || size.height === 0 || size.width * size.height > MOST_PIXELS) throw unreadableMedia();
  return size;
}

function layoutOf({ positions, bothWays }: Extract<MediaChunk, { count: number }>): MediaLayout {
  if (positions === null) return { kind: bothWays ? 'block' : 'line' };
  if (positions > MOST_POSITIONS) throw unreadableMedia();
  return { kind: 'grid', positions };
}

/** Returns numbers that only this chunk of media with this digest has. */
function seedOf(digest: Buffer, index: number): Uint32Array {
  const own = createHash('sha256').update(digest).update(String(index)).digest();
  return Uint32Array.from({ length: own.length / 4 }, (_, at) => own.readUInt32LE(4 * at));
}
