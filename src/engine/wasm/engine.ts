import { Wllama } from '@wllama/wllama/esm/index.js';
import type { ModelTraits } from '../../core/chat/prepare.ts';
import { invalidRequest, unsupportedParameter } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Emit, EngineInfo } from '../../core/runner.ts';
import { askFrom } from '../answers.ts';
import type { Engine, EngineRequest, ModelKind } from '../engine.ts';
import { refuseUnknownTokens } from '../logit-bias.ts';
import { MOST_WASM_BATCH } from '../memory.ts';
import { type ChoiceOutcome, type Chunk, ChunkReader } from './chunks.ts';
import { WasmCrashed } from './crash.ts';
import { textAnswers } from './embedding-engine.ts';
import { checkModelSize, loadFailure } from './memory.ts';
import { completionParams } from './params.ts';
import { RuntimeLog } from './runtime-log.ts';

/** llama.cpp rounds context windows up to a multiple of this. */
const CONTEXT_STEP = 256;
const roundContext = (length: number) => Math.ceil(length / CONTEXT_STEP) * CONTEXT_STEP;

/** A GPU computes many tokens in the time of one. */
const WEBGPU_BATCH = 32;

/** What llama-server's JSON writer says of a token that is no whole character. */
const NOT_UTF8 = 'json.exception.type_error.316';

function untellableLogprobs(): Error {
  return unsupportedParameter(
    'logprobs',
    'logprobs can not be told of this reply: the WebAssembly runtime knows no tokens that are a part of a character.',
  );
}

/** Where the builds of llama.cpp lie; wllama takes `compat` where Memory64 or JSPI is missing. */
export interface WasmAssets {
  /** URL of the default build's wasm file. */
  wasm: string;
  compat: { worker: string | { code: string }; wasm: string };
}

export interface WasmEngineOptions {
  /** The GGUF file, or its split files in order. */
  model: Blob[];
  kind: ModelKind;
  /** The special tokens that a chat needs, as text. wllama does not tell them. */
  tokens: Pick<ModelTraits, 'bos' | 'eos' | 'infill'>;
  /** Context window in tokens, at most the trained one. */
  contextLength: number;
  threads: number;
  /** Tokens in one forward pass of a chat model, few by default. An abort is seen between passes only. */
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
    throw loadFailure(size, options.contextLength, error);
  }
  return engine;
}

class WasmEngine implements Engine {
  readonly ask: Engine['ask'];
  readonly #wllama: Wllama;
  readonly #log: Log;
  readonly #runtime: RuntimeLog;
  readonly #kind: ModelKind;
  readonly #tokens: WasmEngineOptions['tokens'];
  #info: EngineInfo | null = null;
  /** Ends the wllama call under way, which never settles by itself once the worker is gone. */
  #interrupt: ((reason: Error) => void) | null = null;
  #gone: Error | null = null;

  constructor({ assets, log, kind, tokens }: WasmEngineOptions) {
    this.#log = log;
    this.#kind = kind;
    this.#tokens = tokens;
    this.#runtime = new RuntimeLog(log, (message) => {
      this.#gone ??= new WasmCrashed(`The WebAssembly worker died: ${message}`);
      this.#interrupt?.(this.#gone);
    });
    // No managers: wllama's own ones look for a browser's storage, which engines don't use.
    this.#wllama = new Wllama({ default: assets.wasm }, { logger: this.#runtime, cacheManager: {}, modelManager: {} });
    this.#wllama.setCompat(assets.compat);
    this.ask = askFrom(
      textAnswers(kind, {
        wllama: this.#wllama,
        run: (operation) => this.#run(operation),
        textOf: (input) => this.#promptText(input, 'input'),
        contextLength: () => this.info.contextLength,
      }),
    );
  }

  get info(): EngineInfo {
    if (this.#info === null) throw new Error('The model is not loaded yet.');
    return this.#info;
  }

  async load(options: WasmEngineOptions): Promise<void> {
    const { model, kind, contextLength, threads, gpuLayers } = options;
    const { batchSize = gpuLayers > 0 ? WEBGPU_BATCH : MOST_WASM_BATCH } = options;
    const wllama = this.#wllama;
    // A text becomes a vector in one pass.
    const passSize = kind === 'chat' ? batchSize : roundContext(contextLength);
    const loading = wllama.loadModel(model, {
      n_ctx: contextLength,
      n_batch: passSize,
      n_ubatch: passSize,
      n_threads: threads,
      n_gpu_layers: gpuLayers,
      // llama-server keeps earlier prompts outside of the context, so one slot is enough to find them again.
      n_parallel: 1,
      ctx_shift: false,
      // The chat layer renders the model's own template; llama.cpp would try that one out while it loads.
      chat_template: '{{ messages[0].content }}',
      ...(kind !== 'chat' && { embeddings: true }),
      ...(kind === 'rerank' && { pooling_type: 'rank' }),
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
      contextLength: Math.min(roundContext(n_ctx), n_ctx_train),
      trainedContextLength: n_ctx_train,
      slots: 1,
      gpuLayers,
      threads: wllama.getNumThreads(),
    };
  }

  get traits(): ModelTraits {
    const { metadata } = this.#wllama.getLoadedContextInfo();
    return { ...this.#tokens, chatTemplate: metadata['tokenizer.chat_template'] };
  }

  async generate(request: EngineRequest, emit: Emit, signal: AbortSignal): Promise<void> {
    this.#checkReady();
    if (signal.aborted) return;
    if (this.#kind !== 'chat') throw unsupportedParameter('model', 'The model writes no text.');
    refuseUnknownTokens(request.sampling, this.#wllama.getLoadedContextInfo().n_vocab);
    const prompt = this.#promptText(request.prompt);
    const outcomes: ChoiceOutcome[] = [];
    for (let choice = 0; choice < request.choices; choice++) {
      const outcome = await this.#generateChoice({ ...request, prompt }, choice, emit, signal);
      if (!outcome) return;
      outcomes.push(outcome);
    }
    const [first] = outcomes;
    if (!first) return;
    emit({
      kind: 'done',
      promptTokens: first.timings.cache_n + first.timings.prompt_n,
      cachedTokens: first.timings.cache_n,
      completionTokens: outcomes.reduce((sum, { tokens }) => sum + tokens, 0),
      promptMs: first.timings.prompt_ms,
      predictedMs: outcomes.reduce((sum, { timings }) => sum + timings.predicted_ms, 0),
    });
  }

  /** Runs an operation of wllama that answers as a whole. */
  async #run<T>(operation: () => Promise<T>): Promise<T> {
    this.#checkReady();
    this.#runtime.reset();
    try {
      return await this.#untilInterrupted(operation());
    } catch (error) {
      throw this.#isFatal(error) ? this.#crash(error) : error;
    }
  }

  /** Runs one choice; gives null when it was cancelled or did not fit. */
  async #generateChoice(
    request: EngineRequest & { prompt: string },
    choice: number,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<ChoiceOutcome | null> {
    this.#runtime.reset();
    const whileWanted: Emit = (event) => {
      if (!signal.aborted) emit(event);
    };
    const reader = new ChunkReader({ choice, request, emit: whileWanted });
    const stopped = new AbortController();
    const running = this.#wllama.createCompletion({
      ...completionParams(request, choice, this.info.contextLength),
      stream: true,
      abortSignal: AbortSignal.any([signal, stopped.signal]),
      onData: (chunk) => {
        reader.take(chunk as Chunk);
        if (reader.outcome) stopped.abort();
      },
    });
    try {
      await this.#untilInterrupted(running);
      if (!reader.outcome) throw new Error('The WebAssembly runtime ended a generation early.');
    } catch (error) {
      if (this.#isFatal(error)) throw this.#crash(error);
      if (!signal.aborted && !reader.outcome) {
        if (request.logprobs !== null && this.#runtime.reason?.includes(NOT_UTF8)) throw untellableLogprobs();
        if (reader.started) throw error;
        this.#answerError(error, emit);
      }
    }
    return signal.aborted ? null : reader.outcome;
  }

  /** llama.cpp adds the beginning-of-sequence token itself, and must not find it in the text as well. */
  #promptText(prompt: string | number[], param = 'prompt'): string {
    if (typeof prompt !== 'string') {
      throw unsupportedParameter(param, 'The WebAssembly engine takes text, not tokens.');
    }
    const { bos } = this.#tokens;
    const doubled = bos !== '' && this.#wllama.mustAddBosToken() && prompt.startsWith(bos);
    return doubled ? prompt.slice(bos.length) : prompt;
  }

  #checkReady(): void {
    if (this.#gone !== null) throw this.#gone;
    if (this.#interrupt !== null) throw new Error('The WebAssembly engine does one thing at a time.');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone ??= new Error('The engine is disposed.');
    this.#interrupt?.(this.#gone);
    await this.#wllama.exit();
  }

  async #untilInterrupted<T>(call: Promise<T>): Promise<T> {
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#interrupt = reject;
        call.then(resolve, reject);
      });
    } finally {
      this.#interrupt = null;
    }
  }

  /** Reports why a generation did not begin: as an event, as the caller's mistake, or as it came. */
  #answerError(error: unknown, emit: Emit): void {
    const { serverError } = this.#runtime;
    if (serverError?.type === 'exceed_context_size_error') {
      const { n_prompt_tokens: promptTokens = 0, n_ctx: contextLength = this.info.contextLength } = serverError;
      emit({ kind: 'overflow', promptTokens, contextLength });
      return;
    }
    if (serverError?.type === 'invalid_request_error') throw invalidRequest(serverError.message);
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
