import { sum } from '../../../utils/sum.ts';
import { type AdapterSet, createAdapterSwitch, NO_ADAPTERS } from './adapters.ts';
import { createBatch } from './batch.ts';
import { createLifetime, type Lifetime } from './context/lifetime.ts';
import { type ContextOptions, toContextParams } from './context/params.ts';
import { createStates, type SequenceStates } from './context/states.ts';
import { createStopFlag, type StopFlag } from './context/stop-flag.ts';
import { createEncoder, type EncodeRows } from './hidden/encoder.ts';
import { type HiddenRows, openHiddenRows } from './hidden/hidden-rows.ts';
import { addressOf, type Bindings } from './library/bindings.ts';
import type { Pointer } from './library/pointer.ts';
import type { LlamaModel } from './model.ts';
import { createOutputs, type Outputs } from './outputs.ts';
import { createPasses, type WantedLogits } from './pass.ts';
import type { Part } from './pass-order.ts';
import type { LogitsPlace } from './tokens/token.ts';

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
export interface LlamaContext extends AsyncDisposable, Omit<Outputs, 'forget'>, SequenceStates {
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
  /**
   * Returns the size of a sequence's state, in bytes; with `isPartial`, of the part that is not the keys and values of
   * layers that attend to all tokens.
   */
  stateBytes(sequence: number, isPartial?: boolean): number;
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
/** llama.cpp's `LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY`. */
const PARTIAL_ONLY = 1;
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
  const { sequences, batchSize, threads } = options;
  const stop = createStopFlag();
  takeError();
  const params = toContextParams(llama.llama_context_default_params(), options, addressOf(stop.bytes));
  const opened = await llama.llama_init_from_model.async(model.handle, params);
  if (!opened) return null;

  const pool = threadPools.create({ ...llama.ggml_threadpool_params_default(threads), poll: POLL });
  llama.llama_attach_threadpool(opened, pool, pool);
  const lifetime = createLifetime(opened, () => {
    llama.llama_free(opened);
    threadPools.free(pool);
  });
  const { handle, during, close } = lifetime;
  const hidden = openHidden(model, options, handle);

  return {
    get handle() {
      return handle();
    },
    room: llama.llama_n_ctx_seq(opened),
    sequences,
    unified: options.unified ?? false,
    batchSize,
    outputs: mostOutputsOf(options),
    states: llama.llama_n_rs_seq(opened),
    hidden,
    encode: options.guesses === 'eagle3' && hidden ? createEncoder(model.library, hidden, during) : undefined,
    ...createForward(model, options, stop, lifetime),
    ...createCache(llama, llama.llama_get_memory(opened), handle),
    ...createStates(llama, during),
    [Symbol.asyncDispose]: close,
  };
}

function mostOutputsOf({ outputs, batchSize }: ContextOptions): number {
  return outputs ?? batchSize;
}

/** Makes the functions that compute the forward passes of a context, and read what they have given. */
function createForward(
  model: LlamaModel,
  options: ContextOptions,
  stop: StopFlag,
  { handle, during }: Lifetime,
): Pick<LlamaContext, 'setThreads' | 'decode' | 'logitsAt' | 'highestAt' | 'outputOf'> {
  const { llama, takeError } = model.library;
  const { batchSize, threads } = options;
  const mostOutputs = mostOutputsOf(options);
  const batch = createBatch(batchSize, options.guesses ? model.hiddenWidth : 0);
  const passes = createPasses(model.library, model.tokenizer.size);
  const { forget, ...outputs } = createOutputs(model, passes, options.output, handle);
  const apply = createAdapterSwitch(llama);
  let usedThreads = threads;

  /** Runs one forward pass. Tokens of an image may attend to one another both ways. Resolves to llama.cpp's result. */
  const evaluate = async (context: Pointer, parts: readonly Part[], wanted: WantedLogits[], isBrief: boolean) => {
    const bothWays = parts.some(({ rows }) => rows?.bothWays);
    if (bothWays) llama.llama_set_causal_attn(context, false);
    const result = await passes.run(context, batch.struct, wanted, usedThreads, isBrief);
    if (bothWays) llama.llama_set_causal_attn(context, true);
    return result;
  };

  return {
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
        forget();
        stop.watch(signal, !isBrief);
        takeError();
        const result = await evaluate(context, parts, wantedOf(parts, places), isBrief);
        stop.leave(signal);
        if (result === 0) return places;
        if (result === ABORTED) throw new PassAborted('the forward pass was aborted');
        if (result === NO_ROOM) throw new CacheFull('the KV cache has no room for the forward pass');
        throw new Error(`llama.cpp could not compute a forward pass (${result}): ${takeError()}`);
      }),
    ...outputs,
  };
}

/** Makes the functions that change and describe the KV cache of a context. */
function createCache(
  llama: Bindings,
  memory: Pointer,
  handle: () => Pointer,
): Pick<LlamaContext, 'remove' | 'copy' | 'positions' | 'stateBytes'> {
  return {
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
