import type { BackendName } from '../engine-info.ts';
import type { SamplingNameIn } from '../sampling.ts';

/** A LoRA adapter that a model offers. `id` is the name of its file, without `.gguf`. */
export interface OfferedAdapter {
  id: string;
  /** The scale in requests that name no adapters. */
  scale: number;
}

/** A model's configuration: `settings` of the Model object. Absent fields are not set. */
export interface ModelSettings extends Partial<Record<SamplingNameIn<'settings'>, number>> {
  ctx_len?: number;
  ngl?: number;
  cpu_moe?: boolean;
  n_cpu_moe?: number;
  split_mode?: string;
  tensor_split?: number[];
  main_gpu?: number;
  embedding: boolean;
  vision_model?: boolean;
  mmproj?: string;
  draft_model?: string;
  mtp?: boolean;
  /** Requests may name an adapter by its index in this list. */
  lora?: OfferedAdapter[];
  prompt_template?: string;
  system_prompt?: string;
  cpu_threads?: number;
  n_parallel?: number;
  kv_type?: string;
}

/** A model's default values for requests: `parameters` of the Model object. A request's own fields take precedence. */
export interface ModelParameters extends Partial<Record<SamplingNameIn<'parameters'>, number>> {
  max_tokens?: number;
  stream?: boolean;
  stop?: string[];
}

/** Defaults for the requests that ask for a model by another name. They take precedence over the model's own. */
export interface ModelProfile {
  settings: Pick<ModelSettings, 'system_prompt' | SamplingNameIn<'settings'>>;
  parameters: ModelParameters;
}

/** The source of one of a model's files. `url` is '' if it is not known; `size` is in bytes. */
export interface ModelFile {
  filename: string;
  url: string;
  sha256?: string;
  size?: number;
}

/** The types of decision models that answer with the token of a label, as `<architecture>.decision.type` names them. */
export const LABEL_DECISIONS = ['openjev', 'lev', 'nimble', 'pplx-decider'] as const;

/** How a decision model is asked and read. */
export interface DecisionModel {
  type: (typeof LABEL_DECISIONS)[number];
  /**
   * The divisors of the logits of the labels. A key is the type of a question (`noul`, `choice`, `score`), with the
   * number of options if the divisor depends on it, as in `choice.3_5` or `choice.small`. Without an entry, the divisor
   * is 1.
   */
  temperatures: Record<string, number>;
}

/** The facts about a model that are read from its files, before it is loaded. */
export interface ModelCard {
  id: string;
  /** Other names by which requests may ask for it. Absent if it has none. */
  aliases?: string[];
  /** Names with defaults of their own. Absent if it has none. */
  profiles?: Record<string, ModelProfile>;
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
  /** True if its projector takes audio. For images, this is `settings.vision_model`. */
  audioModel: boolean;
  /** True if the model ranks documents. Such a model writes no text. */
  rankingModel: boolean;
  /**
   * llama.cpp's name for the architecture, as in `qwen2`. Absent in cards stored by older versions, which did not have
   * this field.
   */
  architecture?: string;
  /** The quantization of the weights, as in `Q4_K_M`. Absent if the file does not name it. */
  quantization?: string;
  /** How a model that is made for decisions is asked. Absent for other models. */
  decision?: DecisionModel;
  /** True if the model is made for images or audio, and its projector is missing. */
  lacksProjector?: true;
}

/** The models that can be used. */
export interface Catalogue {
  list(): ModelCard[];
  find(id: string): ModelCard | undefined;
}

/** The Model object of the API: OpenAI's fields, Anthropic's, and more. `sources` is left out in lists. */
export interface Model {
  id: string;
  /** Other names by which requests may ask for it. Absent if it has none. */
  aliases?: string[];
  /** Names with defaults of their own. Absent if it has none. */
  profiles?: Record<string, ModelProfile>;
  /** In lists, the id of the model that this name stands for. Absent in the model's own entry. */
  alias_of?: string;
  object: 'model';
  created: number;
  type: 'model';
  display_name: string;
  /** When it was created, in RFC 3339. */
  created_at: string;
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
  /** A model chats if both `embedding` and `rerank` are false. */
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

/** A model as `GET /v1/models` lists it. */
export type ListedModel = Omit<Model, 'sources'>;
