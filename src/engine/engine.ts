import type { Emit, EngineInfo, GenerationRequest } from '../core/runner.ts';

/** How to load a model. */
export interface EngineOptions {
  /** The model's GGUF file, or its split files in order. */
  files: string[];
  /** Context window of one slot in tokens; null takes the model's own, within what memory allows. */
  contextLength: number | null;
  /** Generations to run at once. */
  slots: number;
  /** CPU threads; null lets the engine choose. */
  threads: number | null;
  /** Most tokens in one forward pass, prefill and decode together. */
  batchSize: number;
}

/**
 * A loaded model. `native` and `wasm` keep this contract and know nothing of each other.
 * Disposing waits for nothing: cancel the running generations first.
 */
export interface Engine extends AsyncDisposable {
  readonly info: EngineInfo;

  /**
   * Runs one generation and resolves after its last event. Never call it for more generations at once than `info.slots`.
   * An abort ends it at the next step, without a `done` event. Throws `ApiError` for what the caller did wrong.
   */
  generate(request: GenerationRequest, emit: Emit, signal: AbortSignal): Promise<void>;
}
