/**
 * Types for the part of wllama that Paddock uses. wllama's own declarations don't resolve under Node's module rules.
 */
declare module '@wllama/wllama/esm/index.js' {
  export interface WllamaLogger {
    debug(...args: unknown[]): void;
    log(...args: unknown[]): void;
    warn(...args: unknown[]): void;
    error(...args: unknown[]): void;
  }

  export interface LoadParams {
    n_ctx: number;
    n_batch: number;
    n_ubatch: number;
    n_threads: number;
    n_parallel: number;
    n_gpu_layers: number;
    flash_attn?: boolean;
    cache_type_k?: 'f32' | 'q8_0';
    cache_type_v?: 'f32' | 'q8_0';
    ctx_shift: boolean;
    /** A Jinja template that replaces the model's. */
    chat_template: string;
    embeddings?: boolean;
    pooling_type?: 'rank';
    /** 3 means warnings and errors. */
    log_level: number;
  }

  export interface StreamOptions {
    stream: true;
    abortSignal: AbortSignal;
    onData(chunk: unknown): void;
  }

  /** wllama's end of the worker that runs llama.cpp. */
  export interface WorkerProxy {
    wllamaAction(action: string, message: Record<string, unknown>): Promise<Record<string, unknown>>;
  }

  export class Wllama {
    constructor(
      paths: { default: string },
      config: { logger: WllamaLogger; cacheManager: object; modelManager: object },
    );
    setCompat(compat: { worker: string | { code: string }; wasm: string } | null): void;
    loadModel(files: Blob[], params: LoadParams): Promise<void>;
    /** If the model failed to load, every number is 0. */
    getLoadedContextInfo(): {
      n_ctx: number;
      n_ctx_train: number;
      n_vocab: number;
      metadata: Record<string, string>;
      /** Marks the place of an image or a recording in a prompt. It differs with every load. */
      media_marker: string;
      has_audio_input: boolean;
    };
    mustAddBosToken(): boolean;
    mustAddEosToken(): boolean;
    /** The id of the beginning-of-sequence token. */
    getBOS(): number;
    /** The id of the end-of-sequence token. */
    getEOS(): number;
    /** The id of the end-of-turn token; -1 if there is none. */
    getEOT(): number;
    isMultithread(): boolean;
    getWorkerResources(): { compat: boolean };
    createCompletion(options: StreamOptions & object): Promise<void>;
    /** Private to wllama. Null until a model loads. */
    proxy: WorkerProxy | null;
    createEmbedding(options: { input: (string | number[])[] }): Promise<{
      data: { index: number; embedding: number[] }[];
      usage: { prompt_tokens: number };
    }>;
    createRerank(options: { query: string; documents: string[] }): Promise<{
      results: { index: number; relevance_score: number }[];
      usage: { prompt_tokens: number };
    }>;
    exit(): Promise<void>;
  }
}
