import { highestLogits, type TopLogits } from '../../../sampling/highest.ts';
import { copyInto, lengthForC } from './library/bindings.ts';
import type { Pointer } from './library/pointer.ts';
import type { LlamaModel } from './model.ts';
import type { Passes } from './pass.ts';
import type { LogitsPlace } from './tokens/token.ts';

/** What the latest forward pass of a context has computed. All functions but `forget` throw once the context is closed. */
export interface Outputs {
  /** Drops the outputs read so far. To be called before each pass. */
  forget(): void;
  /** Returns the logits at a place of the latest pass. The array is filled anew by the next call. */
  logitsAt(place: LogitsPlace): Float32Array;
  /** Returns the highest `count` logits at a place of the latest pass, as `highestLogits` does, without a copy of all. */
  highestAt(place: LogitsPlace, count: number): TopLogits;
  /** Returns the output of a sequence: its embedding, or its score. */
  outputOf(sequence: number): Float32Array;
}

/**
 * Makes the functions that read the outputs of a context's latest pass.
 *
 * @param passes the highest logits that the latest pass has found itself
 * @param output the kind of output of a model that writes no text and so has no logits
 * @param handle returns the context; throws once it is closed
 */
export function createOutputs(
  model: LlamaModel,
  passes: Pick<Passes, 'highestAt'>,
  output: 'embedding' | 'score' | undefined,
  handle: () => Pointer,
): Outputs {
  const {
    llama,
    kernels: { highest },
  } = model.library;
  const { size } = model.tokenizer;
  const logits = new Float32Array(lengthForC(size));
  let logitsPlace = -1;
  let found = { tokens: new Int32Array(0), logits: new Float32Array(0) };

  const addressAt = (place: LogitsPlace): Pointer => {
    const address = llama.llama_get_logits_ith(handle(), place);
    if (!address) throw new Error(`there are no logits at ${place}`);
    return address;
  };
  const logitsAt = (place: LogitsPlace): Float32Array => {
    if (place !== logitsPlace) {
      copyInto(logits, addressAt(place));
      logitsPlace = place;
    }
    return logits;
  };
  return {
    forget() {
      logitsPlace = -1;
    },
    logitsAt,
    highestAt(place, count) {
      const known = passes.highestAt(place, count);
      if (known) return known;
      if (found.tokens.length < count) {
        const room = lengthForC(count);
        found = { tokens: new Int32Array(room), logits: new Float32Array(room) };
      }
      const number = highest?.(addressAt(place), size, Math.min(count, size), found.tokens, found.logits) ?? -1;
      if (number < 0) return highestLogits(logitsAt(place), count);
      const tokens = Array.from(found.tokens.subarray(0, number));
      return { tokens, logits: Array.from(found.logits.subarray(0, number)) };
    },
    outputOf(sequence) {
      const address =
        llama.llama_get_embeddings_seq(handle(), sequence) ?? llama.llama_get_embeddings_ith(handle(), -1);
      if (!address) throw new Error('the model has given no embedding');
      const size = output === 'score' ? 1 : llama.llama_model_n_embd_out(model.handle);
      const values = new Float32Array(lengthForC(size));
      copyInto(values.subarray(0, size), address);
      return values.subarray(0, size);
    },
  };
}
