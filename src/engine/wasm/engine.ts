import { Wllama } from '@wllama/wllama/esm/index.js';
import { invalidRequest } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Emit, EngineInfo, GenerationRequest } from '../../core/runner.ts';
import type { Engine } from '../engine.ts';
import { refuseUnknownTokens } from '../logit-bias.ts';
import { type Chunk, ChunkReader } from './chunks.ts';
import { WasmCrashed } from './crash.ts';
import { checkModelSize, describeLoadFailure } from './memory.ts';
import { completionParams } from './params.ts';
import { RuntimeLog } from './runtime-log.ts';

/** llama.cpp rounds context windows up to a multiple of this. */
const CONTEXT_STEP = 256;

/** Where the builds of llama.cpp lie; wllama takes `compat` where Memory64 or JSPI is missing. */
export interface WasmAssets {
  /** URL of the default build's wasm file. */
  wasm: string;
  compat: { worker: string | { code: string }; wasm: string };
}

export interface WasmEngineOptions {
  /** The GGUF file, or its split files in order. */
  model: Blob[];
  /** Context window in tokens, at most the trained one. */
  contextLength: number;
  threads: number;
  /** Tokens in one forward pass, by default 32. An abort is seen between passes only. */
  batchSize?: number;
  /** Layers on WebGPU. */
  gpuLayers: number;
  assets: WasmAssets;
  log: Log;
}

/**
 * Loads a model into llama.cpp's WebAssembly build. Platform neutral, but it needs what wllama needs of a browser:
 * `Worker`, `navigator` and `self.location`.
 */
export async function createWasmEngine(options: WasmEngineOptions): Promise<Engine> {
  const size = checkModelSize(options.model);
  const engine = new WasmEngine(options);
  try {
    await engine.load(options);
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw new Error(describeLoadFailure(size, options.contextLength, error));
  }
  return engine;
}

class WasmEngine implements Engine {
  readonly #wllama: Wllama;
  readonly #log: Log;
  readonly #runtime: RuntimeLog;
  #info: EngineInfo | null = null;
  /** Ends the wllama call under way, which never settles by itself once the worker is gone. */
  #interrupt: ((reason: Error) => void) | null = null;
  #gone: Error | null = null;

  constructor({ assets, log }: WasmEngineOptions) {
    this.#log = log;
    this.#runtime = new RuntimeLog(log, (message) => {
      this.#gone ??= new WasmCrashed(`The WebAssembly worker died: ${message}`);
      this.#interrupt?.(this.#gone);
    });
    // No managers: wllama's own ones look for a browser's storage, which engines don't use.
    this.#wllama = new Wllama({ default: assets.wasm }, { logger: this.#runtime, cacheManager: {}, modelManager: {} });
    this.#wllama.setCompat(assets.compat);
  }

  get info(): EngineInfo {
    if (this.#info === null) throw new Error('The model is not loaded yet.');
    return this.#info;
  }

  async load({ model, contextLength, threads, batchSize = 32, gpuLayers }: WasmEngineOptions): Promise<void> {
    const wllama = this.#wllama;
    const loading = wllama.loadModel(model, {
      n_ctx: contextLength,
      n_batch: batchSize,
      n_ubatch: batchSize,
      n_threads: threads,
      n_gpu_layers: gpuLayers,
      // llama-server keeps earlier prompts outside of the context, so one slot is enough to find them again.
      n_parallel: 1,
      ctx_shift: false,
      prefill_assistant: false,
      reasoning_format: 'none',
      skip_chat_parsing: true,
      log_level: 3,
    });
    await this.#untilInterrupted(loading).catch((error: unknown) => {
      throw new Error(this.#runtime.reason ?? messageOf(error));
    });
    const { n_ctx, n_ctx_train, n_vocab } = wllama.getLoadedContextInfo();
    // wllama takes a failed load for a loaded model.
    if (n_vocab === 0) throw new Error(this.#runtime.reason ?? 'unknown error');
    this.#info = {
      backend: 'wasm',
      device: wllama.getWorkerResources().compat ? 'WebAssembly (32-bit, compatible)' : 'WebAssembly (64-bit)',
      contextLength: Math.min(Math.ceil(n_ctx / CONTEXT_STEP) * CONTEXT_STEP, n_ctx_train),
      trainedContextLength: n_ctx_train,
      slots: 1,
      gpuLayers,
      threads: wllama.getNumThreads(),
    };
  }

  async generate(request: GenerationRequest, emit: Emit, signal: AbortSignal): Promise<void> {
    if (this.#gone !== null) throw this.#gone;
    if (this.#interrupt !== null) throw new Error('The WebAssembly engine runs one generation at a time.');
    if (signal.aborted) return;
    refuseUnknownTokens(request.sampling, this.#wllama.getLoadedContextInfo().n_vocab);
    this.#runtime.reset();
    const reader = new ChunkReader(request.stop, (event) => {
      if (!signal.aborted) emit(event);
    });
    const stopped = new AbortController();
    const running = this.#wllama.createChatCompletion({
      ...completionParams(request, this.info.contextLength),
      stream: true,
      abortSignal: AbortSignal.any([signal, stopped.signal]),
      onData: (chunk) => {
        reader.take(chunk as Chunk);
        if (reader.complete) stopped.abort();
      },
    });
    try {
      await this.#untilInterrupted(running);
      if (!reader.complete) throw new Error('The WebAssembly runtime ended a generation early.');
    } catch (error) {
      if (this.#isFatal(error)) throw this.#crash(error);
      if (signal.aborted || reader.complete) return;
      if (reader.started) throw error;
      this.#answerError(error, emit);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone ??= new Error('The engine is disposed.');
    this.#interrupt?.(this.#gone);
    await this.#wllama.exit();
  }

  async #untilInterrupted(call: Promise<void>): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#interrupt = reject;
        call.then(resolve, reject);
      });
    } finally {
      this.#interrupt = null;
    }
  }

  /** Reports why a generation did not begin: as an event, as the caller's mistake, or as it came. */
  #answerError(error: unknown, emit: Emit): void {
    const { serverError, reason } = this.#runtime;
    if (serverError?.type === 'exceed_context_size_error') {
      const { n_prompt_tokens: promptTokens = 0, n_ctx: contextLength = this.info.contextLength } = serverError;
      emit({ kind: 'overflow', promptTokens, contextLength });
      return;
    }
    if (serverError?.type === 'invalid_request_error') throw invalidRequest(serverError.message);
    if (serverError === null && reason !== null) {
      throw invalidRequest(`The model's chat template can't take these messages: ${reason}`, 'messages');
    }
    throw error;
  }

  /**
   * A C++ exception and a trap both come as a RuntimeError. The former was caught and logged; wllama then trips over
   * the missing answer with a RangeError and works on.
   */
  #isFatal(error: unknown): boolean {
    if (!(error instanceof Error) || error instanceof WasmCrashed) return true;
    const { reason, exception } = this.#runtime;
    if (reason === 'std::bad_alloc') return true;
    return error.name === 'RuntimeError' && !(reason !== null && exception instanceof RangeError);
  }

  #crash(error: unknown): Error {
    const reason = this.#runtime.reason ?? messageOf(error);
    this.#log.error('the WebAssembly runtime crashed', { reason });
    this.#gone ??= new WasmCrashed(`The WebAssembly runtime crashed: ${reason}`);
    void this.#wllama.exit();
    return this.#gone;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
