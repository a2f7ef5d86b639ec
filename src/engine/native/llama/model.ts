import { basename } from 'node:path';
import { keepUntilHere } from './library/bindings.ts';
import type { Library } from './library/library.ts';
import type { Pointer } from './library/pointer.ts';
import type { ModelParams } from './library/structs.ts';
import { createLlamaTokenizer, type LlamaTokenizer } from './tokens/tokenizer.ts';

/** A model in llama.cpp. It owns the contexts made of it: `close` closes them first. */
export interface LlamaModel {
  readonly library: Library;
  /** llama.cpp's model. Throws after `close`. */
  readonly handle: Pointer;
  readonly file: string;
  readonly tokenizer: LlamaTokenizer;
  /** The context window of the training, in tokens. */
  readonly trainedContextLength: number;
  /** The numbers of a layer's input or output for one token. */
  readonly hiddenWidth: number;
  /** The number of layers, MTP layers not included. */
  readonly layers: number;
  /** The number of layers, the output layer included, that are on a GPU. */
  readonly gpuLayers: number;
  /** The number of tokens that a sliding window reaches back; null for a model without one. */
  readonly window: number | null;
  /** True if a sequence can always drop its latest tokens. A recurrent state or a sliding window cannot. */
  readonly rewinds: boolean;
  /** True if the model has a recurrent state. */
  readonly recurs: boolean;
  /** Returns the value of a metadata key as text; undefined if the file has none. Lists have no value. */
  metadata(key: string): string | undefined;
  /** Returns the value of a key whose name begins with the model's architecture. */
  architecture(key: string): string | undefined;
  /** Has a context closed with the model. */
  own(context: AsyncDisposable): void;
  /** Frees the model and its contexts, after the calls that are under way. */
  close(): Promise<void>;
}

/**
 * Loads a model's weights, or only its vocabulary. Resolves to null if that fails: llama.cpp's log has the reason.
 *
 * @param changes the parameters that differ from llama.cpp's defaults
 * @param keep the memory that they point to, which is kept until the model is loaded
 */
export async function openModel(
  library: Library,
  path: string,
  changes: Partial<ModelParams>,
  keep: readonly NodeJS.TypedArray[] = [],
): Promise<LlamaModel | null> {
  const { llama } = library;
  library.takeError();
  const params: ModelParams = { ...llama.llama_model_default_params(), lazy_mode: LAZY_OFF, ...changes };
  const pointer = await llama.llama_model_load_from_file.async(path, params);
  keepUntilHere(keep);
  if (!pointer) return null;
  let handle: Pointer | null = pointer;
  const contexts: AsyncDisposable[] = [];
  const metadata = (key: string) => readMetadata(library, pointer, key);
  const window = llama.llama_model_n_swa(pointer);
  const recurs = llama.llama_model_is_recurrent(pointer) || llama.llama_model_is_hybrid(pointer);
  const layers = llama.llama_model_n_layer(pointer);
  // The output layer counts too: it goes to the GPU after all others.
  const placed = layers + 1;

  return {
    library,
    file: basename(path),
    tokenizer: createLlamaTokenizer(llama, llama.llama_model_get_vocab(pointer)),
    trainedContextLength: llama.llama_model_n_ctx_train(pointer),
    hiddenWidth: llama.llama_model_n_embd_out(pointer),
    layers,
    gpuLayers: params.n_gpu_layers < 0 ? placed : Math.min(placed, params.n_gpu_layers),
    window: window > 0 ? window : null,
    rewinds: window <= 0 && !recurs,
    recurs,
    metadata,
    architecture: (key) => metadata(`${metadata('general.architecture')}.${key}`),
    get handle() {
      if (handle === null) throw new Error('the model is closed');
      return handle;
    },
    own: (context) => void contexts.push(context),
    async close() {
      if (handle === null) return;
      handle = null;
      for (const context of contexts) await context[Symbol.asyncDispose]();
      llama.llama_model_free(pointer);
    },
  };
}

/** llama.cpp's `LLAMA_LAZY_MODE_OFF`: all weights are read when the model is loaded. */
const LAZY_OFF = 0;

function readMetadata({ llama }: Library, model: Pointer, key: string): string | undefined {
  const read = (bytes: Uint8Array) => llama.llama_model_meta_val_str(model, key, bytes, bytes.length);
  const short = new Uint8Array(256);
  const length = read(short);
  if (length < 0) return undefined;
  // C ends the text with a zero, for which there has to be room.
  const bytes = length < short.length ? short : new Uint8Array(length + 1);
  if (bytes !== short) read(bytes);
  return Buffer.from(bytes.subarray(0, length)).toString();
}
