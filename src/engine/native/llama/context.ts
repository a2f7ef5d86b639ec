import { sum } from '../../../utils/sum.ts';
import type { KvType } from '../../engine.ts';
import { type AdapterSet, createAdapterSwitch, NO_ADAPTERS } from './adapters.ts';
import { createBatch } from './batch.ts';
import { createEncoder, type During, type EncodeRows } from './hidden/encoder.ts';
import { type HiddenRows, openHiddenRows, type RowPart } from './hidden/hidden-rows.ts';
import { addressOf, type Bindings, isSetCallback } from './library/bindings.ts';
import type { Pointer } from './library/pointer.ts';
import { CONTEXT_TYPE, type ContextParams, FLASH_ATTENTION, GGML_TYPE, POOLING } from './library/structs.ts';
import type { LlamaModel } from './model.ts';
import { createOutputs, type Outputs } from './outputs.ts';
import { createPasses, type WantedLogits } from './pass.ts';
import type { Part } from './pass-order.ts';
import type { LogitsPlace } from './tokens/token.ts';

/** The settings of a context. */
export interface ContextOptions {
  /** The number of tokens that each sequence can hold; with `unified`, that all of them can hold together. */
  contextLength: number;
  sequences: number;
  /** The most tokens in one forward pass. */
  batchSize: number;
  /** The most tokens that are computed at once: a larger pass is cut. By default a whole batch. */
  microBatch?: number | undefined;
  /**
   * The most tokens in one forward pass after which logits are wanted, at least one for each sequence. By default all of
   * a batch. llama.cpp reserves memory for as many rows of logits: with 152,000 tokens, 297 MiB for a batch of 512.
   */
  outputs?: number;
  /** The most threads that compute a pass. */
  threads: number;
  /** The number of earlier states that a sequence of a model with a recurrent state keeps; by default none. */
  states?: number | undefined;
  /**
   * True if all sequences share the cells of one cache. Any tokens of any sequences are then computed at once, a copy of
   * a sequence shares its cells, and a sequence may have any number of them.
   */
  unified?: boolean | undefined;
  /** The format of the KV cache; by default f16. */
  kvType?: KvType | undefined;
  /** True or false for flash attention; undefined lets llama.cpp decide. */
  flashAttention?: boolean | undefined;
  /** What a model that writes no text computes for each sequence; by default logits. */
  output?: 'embedding' | 'score';
  /**
   * Given for a context that guesses from hidden rows: that of a model's MTP layers, or of an EAGLE-3 draft model. Its parts have such
   * rows, and its passes give the outputs of its last layer, from which it guesses on.
   */
  guesses?: 'mtp' | 'eagle3' | undefined;
  /**
   * For an EAGLE-3 draft model: llama.cpp's context of the model for which it guesses, whose embeddings and output layer it takes if it
   * has none. It has to outlive this context.
   */
  target?: Pointer | undefined;
  /** The parts of the hidden rows that the passes give of all tokens; by default they give none. */
  gives?: readonly RowPart[] | undefined;
}

/** How a forward pass is computed. */
export interface EvaluationOptions {
  /** Its abort ends the pass. The sequences may then hold some of the tokens: they have to be truncated. */
  signal?: AbortSignal | undefined;
  /** The LoRA adapters of all parts; by default none. After a pass with other adapters, llama.cpp reserves its memory anew. */
  adapters?: AdapterSet | undefined;
  /** True for a pass that takes a few ms. The event loop stands still meanwhile, so an abort does not end it. */
  isBrief?: boolean;
}

/**
 * llama.cpp's context of a model: the KV cache of its sequences, and the forward passes over them. One call at a time
 * may be under way. All functions throw after `close`.
 */
export interface LlamaContext extends AsyncDisposable, Omit<Outputs, 'forget'> {
  /** llama.cpp's context. Throws after `close`. */
  readonly handle: Pointer;
  /** The number of tokens that a sequence can hold, if the others leave it as many. */
  readonly room: number;
  readonly sequences: number;
  /** True if all sequences share the cells of one cache. */
  readonly unified: boolean;
  readonly batchSize: number;
  /** The most tokens in one forward pass after which logits can be wanted. */
  readonly outputs: number;
  /** The number of earlier states that each sequence keeps of its recurrent state; 0 without one, or where llama.cpp keeps none. */
  readonly states: number;
  /** The hidden rows of the latest pass; undefined in a context that gives none. */
  readonly hidden: HiddenRows | undefined;
  /** Turns hidden rows of the target into those of an EAGLE-3 draft model; undefined in a context of another kind. */
  readonly encode: EncodeRows | undefined;
  /** Sets the number of threads of the following passes, at most the number that the context was made with. */
  setThreads(threads: number): void;
  /**
   * Runs one forward pass over the parts, in this order; a part with rows is the only one. Resolves to the places of their logits. An abort of the signal
   * ends the pass within a few ms on the CPU. Throws `PassAborted` then, `CacheFull` if the cache has no room for it, and a plain error if the pass fails.
   */
  decode(parts: readonly Part[], options?: EvaluationOptions): Promise<LogitsPlace[][]>;
  /** Drops the tokens of a sequence from the position `start` on. Returns false if the model cannot. */
  remove(sequence: number, start: number): boolean;
  /**
   * Replaces what a sequence holds with what another one holds. The next pass copies the bytes, unless they share the cells.
   */
  copy(from: number, to: number): void;
  /** Returns the smallest and the largest position of a sequence; both are -1 if it is empty. */
  positions(sequence: number): { first: number; last: number };
  /** Writes the state of a sequence to a file. Resolves to its size in bytes. Throws if that fails. */
  save(sequence: number, path: string): Promise<number>;
  /** Loads the state of at most `room` tokens into a sequence. Resolves to false if that fails. */
  load(sequence: number, path: string): Promise<boolean>;
  /**
   * Returns the size of a sequence's state, in bytes; with `isPartial`, of the part that is not the keys and values of
   * layers that attend to all tokens.
   */
  stateBytes(sequence: number, isPartial?: boolean): number;
  /** Copies the state of a sequence into another context of the same model. Throws if that fails. */
  moveTo(other: LlamaContext, sequence: number): Promise<void>;
  /** Sets the state of a sequence. Throws if that fails. */
  setState(sequence: number, state: Uint8Array): Promise<void>;
}

/** Thrown by a forward pass that was aborted. Some of its tokens may be in the KV cache. */
export class PassAborted extends Error {
  override readonly name = 'PassAborted';
}

/** Thrown by a forward pass for which the KV cache has no room. It has changed nothing. */
export class CacheFull extends Error {
  override readonly name = 'CacheFull';
}

/** `llama_decode`'s results. */
const NO_ROOM = 1;
const ABORTED = 2;
/**
 * Threads sleep while there is no graph to compute. Looking for the next one (1 to 100) takes the cores from the host,
 * which draws tokens meanwhile: with 16 streams, a step of a model of one layer takes 11 ms in place of 20 to 31.
 */
const POLL = 0;

/**
 * Makes a context, which has to be disposed before the model. Resolves to null if llama.cpp cannot, mostly for lack of
 * memory: its log has the reason.
 */
export async function openContext(model: LlamaModel, options: ContextOptions): Promise<LlamaContext | null> {
  const { llama, threadPools, takeError } = model.library;
  const { sequences, batchSize, outputs: mostOutputs = batchSize, threads } = options;
  /** The first byte is set to end a pass. It has to stay where it is, so the array is longer than it needs to be. */
  const stop = new Uint8Array(128);
  takeError();
  const opened = await llama.llama_init_from_model.async(model.handle, paramsOf(llama, options, stop));
  if (!opened) return null;

  let pointer: Pointer | null = opened;
  /** The number of calls that are under way, and what waits for their end. */
  let calls = 0;
  let onIdle: (() => void) | undefined;
  const memory = llama.llama_get_memory(opened);
  const batch = createBatch(batchSize, options.guesses ? model.hiddenWidth : 0);
  const pool = threadPools.create({ ...llama.ggml_threadpool_params_default(threads), poll: POLL });
  llama.llama_attach_threadpool(opened, pool, pool);
  let usedThreads = threads;

  const handle = (): Pointer => {
    if (pointer === null) throw new Error('the context is closed');
    return pointer;
  };
  /** Keeps the context from being freed until the call has ended. */
  const during: During = async (call) => {
    const context = handle();
    calls += 1;
    try {
      return await call(context);
    } finally {
      calls -= 1;
      if (calls === 0) onIdle?.();
    }
  };
  const passes = createPasses(model.library, model.tokenizer.size);
  const outputs = createOutputs(model, passes, options.output, handle);
  const hidden = openHidden(model, options, handle);
  const apply = createAdapterSwitch(llama);
  /** Runs one forward pass. Tokens of an image may attend to one another both ways. Resolves to llama.cpp's result. */
  const evaluate = async (context: Pointer, parts: readonly Part[], wanted: WantedLogits[], isBrief: boolean) => {
    const bothWays = parts.some(({ rows }) => rows?.bothWays);
    if (bothWays) llama.llama_set_causal_attn(context, false);
    const result = await passes.run(context, batch.struct, wanted, usedThreads, isBrief);
    if (bothWays) llama.llama_set_causal_attn(context, true);
    return result;
  };

  return {
    get handle() {
      return handle();
    },
    room: llama.llama_n_ctx_seq(opened),
    sequences,
    unified: options.unified ?? false,
    batchSize,
    outputs: mostOutputs,
    states: llama.llama_n_rs_seq(opened),
    hidden,
    encode: options.guesses === 'eagle3' && hidden ? createEncoder(model.library, hidden, during) : undefined,
    setThreads(wanted) {
      const count = Math.min(wanted, threads);
      if (count === usedThreads) return;
      llama.llama_set_n_threads(handle(), count, count);
      usedThreads = count;
    },
    decode: (parts, { signal, adapters = NO_ADAPTERS, isBrief = false } = {}) =>
      during(async (context) => {
        // llama.cpp would end the process.
        if (sum(parts.map(({ logitsAt }) => logitsAt.length)) > mostOutputs)
          throw new Error(`a forward pass can give the logits of ${mostOutputs} tokens at most`);
        apply(context, adapters);
        const places = batch.fill(parts);
        const abort = () => {
          stop[0] = 1;
        };
        outputs.forget();
        stop[0] = signal?.aborted ? 1 : 0;
        if (!isBrief) signal?.addEventListener('abort', abort);
        takeError();
        const result = await evaluate(context, parts, wantedOf(parts, places), isBrief);
        signal?.removeEventListener('abort', abort);
        if (result === 0) return places;
        if (result === ABORTED) throw new PassAborted('the forward pass was aborted');
        if (result === NO_ROOM) throw new CacheFull('the KV cache has no room for the forward pass');
        throw new Error(`llama.cpp could not compute a forward pass (${result}): ${takeError()}`);
      }),
    ...outputs,
    remove(sequence, start) {
      handle();
      return llama.llama_memory_seq_rm(memory, sequence, start, -1);
    },
    copy(from, to) {
      handle();
      llama.llama_memory_seq_cp(memory, from, to, -1, -1);
    },
    positions(sequence) {
      handle();
      return {
        first: llama.llama_memory_seq_pos_min(memory, sequence),
        last: llama.llama_memory_seq_pos_max(memory, sequence),
      };
    },
    stateBytes: (sequence, isPartial = false) =>
      llama.llama_state_seq_get_size_ext(handle(), sequence, isPartial ? PARTIAL_ONLY : 0),
    ...createStates(llama, during),
    async [Symbol.asyncDispose]() {
      if (pointer === null) return;
      const closing = pointer;
      pointer = null;
      if (calls > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      llama.llama_free(closing);
      threadPools.free(pool);
    },
  };
}

/** Has a context give the hidden rows that it is asked for. */
function openHidden(model: LlamaModel, { guesses, gives }: ContextOptions, handle: () => Pointer) {
  const parts = guesses ? (['output'] as const) : gives;
  return parts && openHiddenRows(model.library, parts, model.hiddenWidth, handle);
}

/** Returns the places after which the parts look at the highest logits, and at how many. */
function wantedOf(parts: readonly Part[], places: readonly LogitsPlace[][]): WantedLogits[] {
  return parts.flatMap(({ highest: most = 0 }, index) =>
    most > 0 ? (places[index] ?? []).map((place) => ({ place, most })) : [],
  );
}

/** Makes the functions that copy the states of sequences out of a context and into it. */
function createStates(llama: Bindings, during: During): Pick<LlamaContext, 'save' | 'load' | 'moveTo' | 'setState'> {
  return {
    save: (sequence, path) =>
      during(async (context) => {
        const bytes = await llama.llama_state_seq_save_file.async(context, path, sequence, NO_TOKENS, 0);
        if (bytes === 0) throw new Error("the sequence's state could not be written");
        return bytes;
      }),
    load: (sequence, path) =>
      during(async (context) => {
        const tokens = new Int32Array(64);
        const count = new BigUint64Array(8);
        return (await llama.llama_state_seq_load_file.async(context, path, sequence, tokens, 0, count)) > 0;
      }),
    moveTo: (other, sequence) =>
      during(async (context) => {
        const state = new Uint8Array(llama.llama_state_seq_get_size_ext(context, sequence, 0));
        const bytes = await llama.llama_state_seq_get_data_ext.async(context, state, state.length, sequence, 0);
        await other.setState(sequence, state.subarray(0, bytes));
      }),
    setState: (sequence, state) =>
      during(async (context) => {
        const bytes = await llama.llama_state_seq_set_data_ext.async(context, state, state.length, sequence, 0);
        if (bytes !== state.length) throw new Error("llama.cpp did not take a sequence's state");
      }),
  };
}

/** llama.cpp's `LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY`. */
const PARTIAL_ONLY = 1;

/** Paddock keeps the tokens of a saved state itself, so the file has none. */
const NO_TOKENS = new Int32Array(64);

function paramsOf(llama: Bindings, options: ContextOptions, stop: Uint8Array): ContextParams {
  const { contextLength, sequences, batchSize, threads, output } = options;
  const kvType = GGML_TYPE[options.kvType ?? 'f16'];
  return {
    ...llama.llama_context_default_params(),
    n_ctx: options.unified ? contextLength : contextLength * sequences,
    n_batch: batchSize,
    n_ubatch: Math.min(batchSize, options.microBatch ?? batchSize),
    n_seq_max: sequences,
    n_rs_seq: options.states ?? 0,
    n_outputs_max: options.outputs ?? 0,
    kv_unified: options.unified ?? false,
    n_threads: threads,
    n_threads_batch: threads,
    flash_attn_type: flashAttentionOf(options.flashAttention),
    swa_full: false,
    ctx_type: options.guesses === 'mtp' ? CONTEXT_TYPE.mtp : CONTEXT_TYPE.default,
    ctx_other: options.target ?? null,
    type_k: kvType,
    type_v: kvType,
    embeddings: output !== undefined,
    ...(output === 'score' && { pooling_type: POOLING.rank }),
    abort_callback: isSetCallback(),
    abort_callback_data: addressOf(stop),
  };
}

function flashAttentionOf(wanted: boolean | undefined): number {
  if (wanted === undefined) return FLASH_ATTENTION.auto;
  return wanted ? FLASH_ATTENTION.enabled : FLASH_ATTENTION.disabled;
}
