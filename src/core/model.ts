import type { BackendName } from './runner.ts';
import type { SamplingNameIn } from './sampling/fields.ts';

/** A model's configuration, `settings` of the Model object. Absent fields are not set. */
export interface ModelSettings extends Partial<Record<SamplingNameIn<'settings'>, number>> {
  ctx_len?: number;
  ngl?: number;
  embedding: boolean;
  vision_model?: boolean;
  mmproj?: string;
  prompt_template?: string;
  system_prompt?: string;
  cpu_threads?: number;
  n_parallel?: number;
}

/** A model's defaults for a request, `parameters` of the Model object; the request's own fields win. */
export interface ModelParameters extends Partial<Record<SamplingNameIn<'parameters'>, number>> {
  max_tokens?: number;
  stream?: boolean;
  stop?: string[];
}

/** Where a file of a model came from; `url` is '' where that is not known, `size` is in bytes. */
export interface ModelFile {
  filename: string;
  url: string;
  sha256?: string;
  size?: number;
}

/** What is known of a model from its files alone, before anything is loaded. */
export interface ModelCard {
  id: string;
  /** Unix time in seconds. */
  created: number;
  owned_by: string;
  name: string;
  version: string;
  format: string;
  description: string;
  sources: ModelFile[];
  settings: ModelSettings;
  parameters: ModelParameters;
  /** `size` is in bytes. */
  metadata: { author: string; tags: string[]; size: number; cover: string };
  trainedContextLength: number;
  parameterCount: number;
  /** Whether its projector takes audio; `settings.vision_model` says the same of images. */
  audioModel: boolean;
  /** Whether it ranks documents, and writes nothing. */
  rankingModel: boolean;
}

/** The models on offer. */
export interface Catalogue {
  list(): ModelCard[];
  find(id: string): ModelCard | undefined;
}

/** The Model object of the API. `sources` is left out in lists. */
export interface Model {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
  name: string;
  version: string;
  format: string;
  engine: string;
  description: string;
  sources?: ModelFile[];
  settings: ModelSettings;
  parameters: ModelParameters;
  metadata: ModelCard['metadata'];
  context_length: number;
  meta: { n_ctx: number; n_ctx_train: number; n_params: number; size: number };
  /** A model of which neither `embedding` nor `rerank` is true chats. */
  capabilities: {
    vision: boolean;
    audio: boolean;
    tools: boolean;
    reasoning: boolean;
    embedding: boolean;
    rerank: boolean;
  };
  loaded: boolean;
  backend: BackendName | null;
}
