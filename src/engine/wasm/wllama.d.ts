/** The part of wllama that is used here; its own declarations don't resolve under Node's module rules. */
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
    ctx_shift: boolean;
    /** A Jinja template, in place of the model's. */
    chat_template: string;
    embeddings?: boolean;
    pooling_type?: 'rank';
    /** 3 is "warnings and errors". */
    log_level: number;
  }

  export interface StreamOptions {
    stream: true;
    abortSignal: AbortSignal;
    onData(chunk: unknown): void;
  }

  export class Wllama {
    constructor(
      paths: { default: string },
      config: { logger: WllamaLogger; cacheManager: object; modelManager: object },
    );
    setCompat(compat: { worker: string | { code: string }; wasm: string } | null): void;
    loadModel(files: Blob[], params: LoadParams): Promise<void>;
    /** Of a model that failed to load, every number is 0. */
    getLoadedContextInfo(): {
      n_ctx: number;
      n_ctx_train: number;
      n_vocab: number;
      metadata: Record<string, string>;
    };
    mustAddBosToken(): boolean;
    getNumThreads(): number;
    getWorkerResources(): { compat: boolean };
    createCompletion(options: StreamOptions & object): Promise<void>;
    createEmbedding(options: { input: string[] }): Promise<{
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
