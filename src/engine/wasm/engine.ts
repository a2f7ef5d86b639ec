import { Wllama } from '@wllama/wllama/esm/index.js';
import { spelledControlTokens } from '../../chat/literal-text.ts';
import type { ModelTraits } from '../../chat/prepare.ts';
import type { EngineInfo } from '../../contract/engine-info.ts';
import { contextLengthExceeded, unsupportedParameter } from '../../contract/errors.ts';
import type { Emit } from '../../contract/events.ts';
import type { Log } from '../../contract/log.ts';
import { MEDIA_MARK } from '../../contract/media.ts';
import type { TextPart } from '../../contract/prompt.ts';
import { seedAfter } from '../../contract/sampling.ts';
import { messageOf } from '../../utils/error-message.ts';
import { askFrom } from '../answers.ts';
import { roundContext } from '../context-length.ts';
import type { ModelKind, TextEngine, TextRequest } from '../engine.ts';
import { refuseUnknownTokens } from '../logit-bias.ts';
import { isTokens, partsOf, refuseUnknownIds, withBos } from '../tokenize.ts';
import { type ChoiceOutcome, type Chunk, ChunkReader, NO_TIMINGS, type ReplySoFar } from './chunks.ts';
import { WasmCrashed } from './crash.ts';
import { textAnswers } from './embedding-engine.ts';
import { createHeldPrompt } from './held-prompt.ts';
import { loadParams, type WasmCache } from './load-params.ts';
import { checkModelSize, wasmLoadError } from './memory-limit.ts';
import { completionParams } from './params.ts';
import { complete, computeWith } from './private-wllama.ts';
import { projectorNeeds } from './projector.ts';
import { toWasmText, type WasmRequest } from './prompt.ts';
import { mayTakePasses, withProgress } from './prompt-progress.ts';
import {
  audioNeedsThreads,
  isUncuttable,
  isUntellable,
  noAdapters,
  noPromptLogprobs,
  notResumable,
  refusal,
  untellableLogprobs,
} from './refusals.ts';
import { RuntimeLog } from './runtime-log.ts';
import { createWasmVocabulary, mayReach, type WasmVocabulary } from './vocabulary.ts';
import { type ReadPrompt, weighAnswer } from './weigh.ts';

/** The locations of the two builds of llama.cpp. wllama takes `compat` if Memory64 or JSPI is missing. */
export interface WasmAssets {
  /** URL of the default build's wasm file. */
  wasm: string;
  compat: { worker: string | { code: string }; wasm: string };
}

/** The options for loading a model into WebAssembly. Files are Blobs, which are read on demand. */
export interface WasmEngineOptions {
  /** The GGUF file, or its split files in order. */
  model: Blob[];
  /** The GGUF of the model's projector, if it has one. */
  projector?: Blob;
  kind: ModelKind;
  /** The special tokens that a chat needs, as text. wllama does not give them. */
  tokens: Pick<ModelTraits, 'bos' | 'eos' | 'infill'>;
  /** The context window in tokens, at most the trained one. */
  contextLength: number;
  threads: number;
  /** Tokens in one forward pass of a chat model. An abort takes effect only between passes. */
  batchSize: number;
  /** The number of layers on WebGPU. */
  gpuLayers: number;
  /** The format of keys and values; half floats if absent. Floats take more memory and less time. */
  cache?: WasmCache;
  assets: WasmAssets;
  log: Log;
}

/**
 * Loads a model into llama.cpp's WebAssembly build. Runs on every platform with the parts of a browser that wllama
 * needs: `Worker`, `navigator` and `self.location`. Throws `InsufficientMemory` if the weights do not fit, and a plain
 * error with the figures if loading fails. Whether layers fit a graphics card is for the caller to plan.
 */
export async function createWasmEngine(options: WasmEngineOptions): Promise<TextEngine> {
  const size = checkModelSize(filesOf(options), options.gpuLayers);
  const engine = new WasmEngine(options);
  try {
    await engine.load(options);
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw wasmLoadError(size, options.contextLength, error);
  }
  return engine;
}

function filesOf({ model, projector }: Pick<WasmEngineOptions, 'model' | 'projector'>): Blob[] {
  return [...model, ...(projector ? [projector] : [])];
}

class WasmEngine implements TextEngine {
  readonly ask: TextEngine['ask'];
  readonly #wllama: Wllama;
  readonly #log: Log;
  readonly #runtime: RuntimeLog;
  readonly #kind: ModelKind;
  readonly #tokens: WasmEngineOptions['tokens'];
  readonly #vocabulary: WasmVocabulary;
  #info: EngineInfo | null = null;
  /** Rejects the current wllama call: after the worker has crashed, the call would never settle by itself. */
  #interrupt: ((reason: Error) => void) | null = null;
  #gone: Error | null = null;
  readonly #held = createHeldPrompt();
  /** Tokens in one forward pass. */
  readonly #batchSize: number;

  constructor({ assets, log, kind, tokens, model, batchSize }: WasmEngineOptions) {
    this.#log = log;
    this.#kind = kind;
    this.#tokens = tokens;
    this.#batchSize = batchSize;
    this.#vocabulary = createWasmVocabulary(firstOf(model));
    this.#runtime = new RuntimeLog(log, (message) => {
      this.#gone ??= new WasmCrashed(`The WebAssembly worker died: ${message}`);
      this.#interrupt?.(this.#gone);
    });
    // wllama's own managers look for a browser's storage, which engines do not use.
    this.#wllama = new Wllama({ default: assets.wasm }, { logger: this.#runtime, cacheManager: {}, modelManager: {} });
    this.#wllama.setCompat(assets.compat);
    this.ask = askFrom({
      ...this.#vocabulary.answers,
      ...textAnswers(kind, {
        wllama: this.#wllama,
        run: (operation) => this.#run(operation),
        inputOf: (input) => (typeof input === 'string' ? this.#textOf(partsOf(input)) : this.#idsOf(input)),
        countOf: (input, signal) => this.#countIfLong(input, signal),
        contextLength: () => this.info.contextLength,
      }),
      ...(kind === 'chat' && {
        weigh: weighAnswer({
          wllama: this.#wllama,
          vocabulary: this.#vocabulary,
          contextLength: () => this.info.contextLength,
          countOf: (prompt, signal) => this.#countIfLong(prompt, signal),
          complete: (prompt, params, signal) => this.#completeWhole(prompt, params, signal),
        }),
      }),
    });
  }

  get info(): EngineInfo {
    if (this.#info === null) throw new Error('The model is not loaded yet.');
    return this.#info;
  }

  async load(options: WasmEngineOptions): Promise<void> {
    const wllama = this.#wllama;
    const { threads, gpuLayers } = options;
    const needs = await projectorNeeds(options.projector);
    if (needs.helpers > 0) computeWith(wllama, threads);
    // wllama recognizes the projector among the files by its header.
    const loading = wllama.loadModel(filesOf(options), loadParams(options, needs));
    await this.#untilInterrupted(loading).catch((error: unknown) => {
      throw new Error(this.#runtime.reason ?? messageOf(error));
    });
    const { n_ctx, n_ctx_train, n_vocab } = wllama.getLoadedContextInfo();
    // wllama can take a failed load for a loaded model. All its figures are 0 then.
    if (n_vocab === 0) throw new Error(this.#runtime.reason ?? 'unknown error');
    this.#info = {
      backend: 'wasm',
      runtime: 'wllama',
      device:
        gpuLayers > 0
          ? 'WebGPU'
          : wllama.getWorkerResources().compat
            ? 'WebAssembly (32-bit, compatible)'
            : 'WebAssembly (64-bit)',
      contextLength: Math.min(roundContext(n_ctx), n_ctx_train),
      trainedContextLength: n_ctx_train,
      slots: 1,
      gpuLayers,
      threads: wllama.isMultithread() ? threads : 1,
    };
  }

  get traits(): ModelTraits {
    const { metadata } = this.#wllama.getLoadedContextInfo();
    const chatTemplate = metadata['tokenizer.chat_template'];
    const { bos, eos } = this.#tokens;
    const decisionTemplate = metadata['tokenizer.chat_template.systemone'];
    const spelled = [chatTemplate, decisionTemplate].flatMap((template) => spelledControlTokens(template));
    const controlTokens = [...new Set([bos, eos, ...spelled])].filter((text) => text !== '');
    return { ...this.#tokens, controlTokens, chatTemplate, decisionTemplate };
  }

  async generate(request: TextRequest, emit: Emit, signal: AbortSignal): Promise<void> {
    this.#checkReady();
    if (signal.aborted) return;
    if (this.#kind !== 'chat') throw unsupportedParameter('model', 'The model writes no text.');
    if (request.promptLogprobs) throw noPromptLogprobs();
    if (request.lora) throw noAdapters();
    refuseUnknownTokens(request.sampling, this.#wllama.getLoadedContextInfo().n_vocab);
    this.#checkAudio(request);
    const { contextLength } = this.info;
    // Only llama-server knows the tokens of images and recordings.
    const promptTokens = request.media.length > 0 ? 0 : await this.#countIfLong(request.prompt, signal);
    if (signal.aborted) return;
    if (promptTokens >= contextLength) return emit({ kind: 'overflow', promptTokens, contextLength });
    const prompt = await this.#promptText(request.prompt);
    const outcomes: ChoiceOutcome[] = [];
    let { cachePrompt } = request;
    for (let choice = 0; choice < request.choices; choice++) {
      const outcome = await this.#generateChoice({ ...request, prompt, cachePrompt }, choice, emit, signal);
      if (!outcome) return;
      outcomes.push(outcome);
      // From now on its cache has the tokens of this request itself.
      cachePrompt ||= !request.resume?.[choice]?.finished;
    }
    // A choice that a previous engine finished has no timings of the prompt.
    const { timings } = outcomes.find(({ timings }) => timings !== NO_TIMINGS) ?? { timings: NO_TIMINGS };
    emit({
      kind: 'done',
      promptTokens: timings.cache_n + timings.prompt_n,
      cachedTokens: timings.cache_n,
      completionTokens: outcomes.reduce((sum, { tokens }) => sum + tokens, 0),
      promptMs: timings.prompt_ms,
      predictedMs: outcomes.reduce((sum, { timings }) => sum + timings.predicted_ms, 0),
    });
  }

  /** Runs an operation of wllama that does not stream its answer. Throws the reason if it fails. */
  async #run<T>(operation: () => Promise<T>): Promise<T> {
    this.#checkReady();
    this.#runtime.reset();
    try {
      return await this.#untilInterrupted(operation());
    } catch (error) {
      throw this.#isFatal(error) ? this.#crash(error) : error;
    }
  }

  /** Runs a completion that does not stream; see `WasmReads`. */
  async #completeWhole(
    { parts, scope, param }: ReadPrompt,
    params: object,
    signal = new AbortController().signal,
  ): Promise<Chunk | null> {
    const text = await this.#promptText(parts);
    const prompt = { scope, text };
    const cache_prompt = this.#held.mayBeUsedFor(prompt);
    this.#held.begin(prompt);
    const chunks: Chunk[] = [];
    const run = {
      params: { ...params, prompt: text, cache_prompt, stream: false },
      files: [],
      signal,
      onChunk: (chunk: Chunk) => void chunks.push(chunk),
    };
    try {
      await this.#run(() => complete(this.#wllama, run, this.#runtime));
    } catch (error) {
      const { serverError } = this.#runtime;
      if (serverError?.type !== 'exceed_context_size_error') throw error;
      const { contextLength } = this.info;
      throw contextLengthExceeded(serverError.n_prompt_tokens ?? contextLength, contextLength, param);
    }
    const chunk = chunks.at(-1) ?? null;
    if (chunk?.timings) this.#held.noteWhole(chunk.timings);
    return chunk;
  }

  /**
   * Runs one choice. Returns null if it was cancelled or if the prompt did not fit. A choice that a previous engine
   * began is generated again, and the text that was already emitted is not emitted again: the same samplers, seed and
   * grammar give the same tokens. If the text differs because numbers are rounded differently, the text that was
   * emitted becomes a part of the prompt.
   */
  async #generateChoice(
    request: WasmRequest,
    choice: number,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<ChoiceOutcome | null> {
    const { said = [], count = 0, finished = false } = request.resume?.[choice] ?? {};
    if (finished) return { tokens: count, timings: NO_TIMINGS };
    const text = said.map((piece) => piece.text).join('');
    const whileWanted: Emit = (event) => {
      if (!signal.aborted) emit(event);
    };
    const options = { choice, request, emit: whileWanted };
    const reader = new ChunkReader({ ...options, said: text });
    await this.#runWhole(request, request, reader, emit, signal);
    if (signal.aborted || !reader.diverged) return signal.aborted ? null : reader.outcome;

    this.#log.info('a reply that is taken up comes out differently', { choice, tokens: count });
    if (request.grammar !== null) throw notResumable();
    const before = { text, tokens: count };
    const next = new ChunkReader({ ...options, before });
    await this.#runWhole(request, continued(request, before), next, emit, signal);
    return signal.aborted ? null : next.outcome;
  }

  /**
   * Runs a choice until its reader needs no more chunks, until it is cancelled, or until the prompt turns out not to
   * fit.
   */
  async #runWhole(
    request: WasmRequest,
    firstRun: WasmRequest,
    reader: ChunkReader,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<void> {
    let run: WasmRequest | null = firstRun;
    while (run && !signal.aborted && !reader.over) {
      try {
        await this.#runChoice(run, reader, signal);
      } catch (error) {
        if (this.#isFatal(error)) throw this.#crash(error);
        run = signal.aborted || reader.over ? null : this.#goOn(request, run, reader, error, emit);
      }
    }
  }

  /**
   * Returns the request with which to continue after a run broke off; null if the prompt did not fit, after emitting
   * that. Throws any other error.
   */
  #goOn(
    request: WasmRequest,
    latest: WasmRequest,
    reader: ChunkReader,
    error: unknown,
    emit: Emit,
  ): WasmRequest | null {
    if (isUntellable(this.#runtime)) {
      if (request.logprobs !== null) throw untellableLogprobs();
      // The very first token: the prompt's counts come with its progress.
      if (!reader.started && !latest.progress) return { ...latest, cachePrompt: false, progress: true };
      return continued(request, reader.replaceBroken());
    }
    if (reader.started) throw error;
    if (latest.cachePrompt && isUncuttable(error)) return { ...latest, cachePrompt: false };
    this.#answerError(error, emit);
    return null;
  }

  /** Runs one completion of a choice. Its chunks go to the reader, until the reader needs no more. */
  async #runChoice(request: WasmRequest, reader: ChunkReader, signal: AbortSignal): Promise<void> {
    this.#runtime.reset();
    const stopped = new AbortController();
    const prompt = { scope: request.cacheScope, text: request.media.length > 0 ? null : request.prompt };
    const cachePrompt = request.cachePrompt && this.#held.mayBeUsedFor(prompt);
    const progress = request.progress ?? this.#mayTakePasses(prompt.text, cachePrompt);
    this.#held.begin(prompt);
    let isFirst = true;
    const running = complete(
      this.#wllama,
      {
        params: {
          ...completionParams(
            { ...request, cachePrompt },
            { choice: reader.choice, contextLength: this.info.contextLength, progress },
          ),
          stream: true,
        },
        files: request.media.map(({ bytes }) => bytes),
        signal: AbortSignal.any([signal, stopped.signal]),
        onChunk: (raw) => {
          const chunk = isFirst ? withProgress(raw) : raw;
          isFirst = false;
          this.#held.note(chunk);
          reader.take(chunk);
          if (reader.over) stopped.abort();
        },
      },
      this.#runtime,
    );
    await this.#untilInterrupted(running);
    if (!reader.over && !signal.aborted) throw new Error('The WebAssembly runtime ended a generation early.');
  }

  /** True if a prompt may take more than one forward pass; null is a prompt with media. */
  #mayTakePasses(text: string | null, cachePrompt: boolean): boolean {
    if (text === null) return true;
    return mayTakePasses(cachePrompt ? this.#held.newCharacters(text) : text.length, this.#batchSize);
  }

  /**
   * Counts the tokens of a prompt that may not fit the context window. Returns 0 for a text that is short enough to fit
   * in any case: the first count has to read the model's vocabulary. Also returns 0 for an unknown kind of vocabulary,
   * which only llama-server can count.
   */
  async #countIfLong(prompt: TextRequest['prompt'], signal: AbortSignal | undefined): Promise<number> {
    if (isTokens(prompt)) return this.#idsOf(prompt).length;
    const parts = partsOf(prompt);
    const { contextLength } = this.info;
    return mayReach(parts, contextLength) ? this.#vocabulary.count(parts, contextLength, signal) : 0;
  }

  /**
   * Checks token ids, and adds the beginning-of-sequence token as llama.cpp does for a text. Throws a 400 `ApiError`
   * for an unknown id.
   */
  #idsOf(ids: number[]): number[] {
    refuseUnknownIds(ids, this.#wllama.getLoadedContextInfo().n_vocab);
    return withBos(ids, this.#wllama.mustAddBosToken() ? this.#wllama.getBOS() : null);
  }

  #textOf(parts: TextPart[]): string {
    return toWasmText(parts, this.#wllama, this.#tokens.bos, this.traits.controlTokens);
  }

  /**
   * Returns a prompt as text, with the runtime's own marker for each media mark. Markers in the client's text are
   * removed first, so that they are not taken for media.
   */
  async #promptText(prompt: TextRequest['prompt']): Promise<string> {
    const { media_marker } = this.#wllama.getLoadedContextInfo();
    const parts = isTokens(prompt) ? partsOf(await this.#vocabulary.textOf(prompt)) : partsOf(prompt);
    return this.#textOf(parts).replaceAll(media_marker, '').replaceAll(MEDIA_MARK, media_marker);
  }

  #checkAudio({ media }: TextRequest): void {
    const { has_audio_input } = this.#wllama.getLoadedContextInfo();
    if (!has_audio_input || this.#wllama.isMultithread()) return;
    if (media.some(({ kind }) => kind === 'audio')) throw audioNeedsThreads();
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

  /**
   * Reports why a generation did not begin: emits an `overflow` event, or throws a 400 `ApiError` or the given error.
   */
  #answerError(error: unknown, emit: Emit): void {
    const { serverError } = this.#runtime;
    if (serverError?.type === 'exceed_context_size_error') {
      const { n_prompt_tokens: promptTokens = 0, n_ctx: contextLength = this.info.contextLength } = serverError;
      emit({ kind: 'overflow', promptTokens, contextLength });
      return;
    }
    if (serverError?.type === 'invalid_request_error') throw refusal(serverError);
    throw error;
  }

  /**
   * Returns true if an error means that the runtime has crashed. A C++ exception and a trap both come as a
   * RuntimeError. A C++ exception was caught and logged: wllama then fails on the missing answer with a RangeError, but
   * still works.
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

/** Returns the GGUF with the header and the vocabulary: the first one of split files. */
function firstOf(model: Blob[]): Blob {
  const [first] = model;
  if (!first) throw new Error('a model has no file');
  return first;
}

/**
 * Returns the request with which to continue after a run broke off: its prompt ends with the reply so far, and its seed
 * is another.
 */
function continued(request: WasmRequest, { text, tokens }: ReplySoFar): WasmRequest {
  const { sampling, maxTokens } = request;
  return {
    ...request,
    prompt: request.prompt + text,
    maxTokens: maxTokens === null ? null : maxTokens - tokens,
    sampling: { ...sampling, seed: seedAfter(sampling.seed, tokens) },
  };
}
