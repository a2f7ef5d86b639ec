import { copyInto } from '../library/bindings.ts';
import type { Library } from '../library/library.ts';
import type { Pointer } from '../library/pointer.ts';
import type { LogitsPlace } from '../tokens/token.ts';

/** The hidden rows of a context's latest pass: the last layer's output, from which MTP layers guess. */
export interface HiddenRows {
  /**
   * Returns the rows of `count` tokens of the pass, one after the other, from that at a place on. With a cache for each sequence,
   * they are in the order in which llama.cpp computes the tokens: that of the pass if it has one sequence. Throws if there are
   * none.
   */
  at(place: LogitsPlace, count: number): Float32Array;
  /** Says whether the following passes give rows. At first they do. */
  give(given: boolean): void;
}

/**
 * Has a context give the hidden rows of all tokens from now on. llama.cpp can also give those of tokens with logits alone, but takes
 * the first rows for them in a pass of MTP layers that has other tokens too.
 *
 * @param width the numbers of a row
 * @param handle returns the context; throws once it is closed
 * @throws an Error if the libraries have no functions for that
 */
export function openHiddenRows({ hidden }: Pick<Library, 'hidden'>, width: number, handle: () => Pointer): HiddenRows {
  if (!hidden) throw new Error("llama.cpp's libraries have no functions for MTP layers");
  let isGiven = false;
  const give = (given: boolean) => {
    if (given !== isGiven) hidden._Z26llama_set_embeddings_nextnP13llama_contextbb(handle(), given, false);
    isGiven = given;
  };
  give(true);
  return {
    give,
    at(place, count) {
      const address = hidden._Z30llama_get_embeddings_nextn_ithP13llama_contexti(handle(), place);
      if (!address) throw new Error(`there is no hidden row at ${place}`);
      const rows = new Float32Array(Math.max(64, count * width)).subarray(0, count * width);
      copyInto(rows, address);
      return rows;
    },
  };
}
