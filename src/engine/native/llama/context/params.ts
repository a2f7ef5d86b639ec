import type { KvType } from '../../../engine.ts';
import type { RowPart } from '../hidden/hidden-rows.ts';
import { isSetCallback } from '../library/bindings.ts';
import type { Pointer } from '../library/pointer.ts';
import { CONTEXT_TYPE, type ContextParams, FLASH_ATTENTION, GGML_TYPE, POOLING } from '../library/structs.ts';

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

/**
 * Returns the settings as llama.cpp takes them.
 *
 * @param defaults llama.cpp's own settings, for all that Paddock does not decide
 * @param stop points to the byte that is set to end a pass
 */
export function toContextParams(defaults: ContextParams, options: ContextOptions, stop: Pointer): ContextParams {
  const { contextLength, sequences, batchSize, threads, output } = options;
  const kvType = GGML_TYPE[options.kvType ?? 'f16'];
  return {
    ...defaults,
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
    abort_callback_data: stop,
  };
}

function flashAttentionOf(wanted: boolean | undefined): number {
  if (wanted === undefined) return FLASH_ATTENTION.auto;
  return wanted ? FLASH_ATTENTION.enabled : FLASH_ATTENTION.disabled;
}
