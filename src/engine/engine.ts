import type { ModelTraits } from '../core/chat/prepare.ts';
import type { Inference } from '../core/inference.ts';
import type { Media } from '../core/media.ts';
import type { EngineInfo, GenerationRequest } from '../core/runner.ts';
import type { ProjectorShape } from '../gguf/projector.ts';

/** What a model is for: a chat model writes, the others turn text into vectors or scores. */
export type ModelKind = 'chat' | 'embedding' | 'rerank';

/** Figures of a model's header, from which its need of memory follows. */
export interface ModelShape {
  /** Bytes of all its files, the projector's included. */
  fileBytes: number;
  layers: number;
  /** Numbers that the KV cache holds for one token: the keys and values of all layers together. */
  cachedPerToken: number;
  embeddingLength: number;
  feedForwardLength: number;
  vocabularySize: number;
  /** In tokens. */
  trainedContextLength: number;
  /** Whether its vector is that of the last token, so that a text can be read in batches. */
  poolsLast: boolean;
  /** That of its projector, if it has one, and the bytes of its file. */
  projector?: ProjectorShape & { fileBytes: number };
}

/** Where a model lies and what it is for. */
export interface ModelSource {
  /** The model's GGUF file, or its split files in order. */
  files: string[];
  /** The GGUF of its projector, if it has one: what turns images or audio into its embeddings. */
  projector?: string;
  kind: ModelKind;
  shape: ModelShape;
  /** The Jinja template to use in place of the GGUF's own. */
  chatTemplate?: string;
  /** How this model is to be loaded, whatever holds for the others. */
  loading?: Partial<Pick<EngineOptions, 'contextLength' | 'slots' | 'threads' | 'gpuLayers'>>;
}

/** How to load a model. */
export interface EngineOptions extends Omit<ModelSource, 'shape' | 'loading'> {
  /** Context window of one slot in tokens; null takes the model's own, within what memory allows. */
  contextLength: number | null;
  /** Generations to run at once. */
  slots: number;
  /** CPU threads; null lets the engine choose. */
  threads: number | null;
  /** Layers to hold on a GPU; without it, as many as fit. Means nothing where there is no GPU. */
  gpuLayers?: number;
  /** Most tokens in one forward pass, prefill and decode together. */
  batchSize: number;
}

/** One generation in terms of raw text: what a model itself knows of. */
export interface TextRequest extends Omit<GenerationRequest, 'prompt' | 'replyFormat'> {
  /** Text, in which special tokens may be spelled, or tokens. A beginning-of-sequence token is added as the model wants. */
  prompt: string | number[];
  /** The images and recordings that stand at each `MEDIA_MARK` of the prompt. */
  media: Media[];
  /** GBNF that the reply must keep to; null leaves it free. */
  grammar: string | null;
  /** Special tokens that come as text in the reply; all others stay silent. */
  marks: string[];
}

/**
 * One loaded model as raw text. `native` and `wasm` keep this contract and know nothing of each other. Never call
 * `generate` for more generations at once than `info.slots`. Disposing waits for nothing: cancel the running generations first.
 */
export interface TextEngine extends Inference<TextRequest>, AsyncDisposable {
  readonly info: EngineInfo;
  readonly traits: ModelTraits;
}
