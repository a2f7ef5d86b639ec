import { copyInto, lengthForC } from '../library/bindings.ts';
import type { Library } from '../library/library.ts';
import type { Pointer } from '../library/pointer.ts';
import type { LogitsPlace } from '../tokens/token.ts';

/** A part of a hidden row: the input of the layer with this number, or the output of the last layer. */
export type RowPart = number | 'output';

/** The hidden rows of a context's latest pass, from which MTP layers and EAGLE-3 draft models guess. */
export interface HiddenRows {
  /** The numbers of a row. */
  readonly width: number;
  /**
   * Returns the rows of `count` tokens of the pass, one after the other, from that at a place on. With a cache for each sequence,
   * they are in the order in which llama.cpp computes the tokens: that of the pass if it has one sequence. Throws if there are
   * none. The pass has to be one that gives rows: for others llama.cpp may end the process.
   */
  at(place: LogitsPlace, count: number): Float32Array;
  /** Says whether the following passes give rows. At first they do. */
  give(given: boolean): void;
}

const FLOAT_BYTES = 4;

/**
 * Has a context give the hidden rows of all tokens from now on. llama.cpp can also give the rows of the tokens with
 * logits alone. But in a pass of MTP layers that has other tokens too, it then gives the first rows, which belong to
 * other tokens.
 *
 * @param parts the parts of a row, in this order
 * @param width the numbers of a part
 * @param handle returns the context; throws once it is closed
 * @throws an Error if the libraries have no functions for that
 */
export function openHiddenRows(
  { hidden }: Pick<Library, 'hidden'>,
  parts: readonly RowPart[],
  width: number,
  handle: () => Pointer,
): HiddenRows {
  if (!hidden) throw new Error("llama.cpp's libraries have no functions for hidden rows");
  let isGiven = false;
  const give = (given: boolean) => {
    if (given === isGiven) return;
    isGiven = given;
    for (const part of parts) {
      if (part === 'output') hidden._Z26llama_set_embeddings_nextnP13llama_contextbb(handle(), given, false);
      else hidden._Z30llama_set_embeddings_layer_inpP13llama_contextjb(handle(), part, given);
    }
  };
  const addressOf = (part: RowPart, place: LogitsPlace): Pointer => {
    if (part !== 'output')
      return (
        hidden._Z30llama_get_embeddings_layer_inpP13llama_contextj(handle(), part) + BigInt(FLOAT_BYTES * place * width)
      );
    const address = hidden._Z30llama_get_embeddings_nextn_ithP13llama_contexti(handle(), place);
    if (!address) throw new Error(`there is no hidden row at ${place}`);
    return address;
  };
  const read = (part: RowPart, place: LogitsPlace, count: number): Float32Array => {
    const values = new Float32Array(lengthForC(count * width)).subarray(0, count * width);
    copyInto(values, addressOf(part, place));
    return values;
  };
  give(true);
  return {
    width: parts.length * width,
    give,
    at(place, count) {
      const all = parts.map((part) => read(part, place, count));
      return joinRows(all, width, count);
    },
  };
}

/** Joins the parts of each row. */
function joinRows(parts: readonly Float32Array[], width: number, count: number): Float32Array {
  const [first = new Float32Array(0)] = parts;
  if (parts.length === 1) return first;
  const rows = new Float32Array(parts.length * width * count);
  for (let row = 0; row < count; row++)
    for (const [index, part] of parts.entries())
      rows.set(part.subarray(row * width, (row + 1) * width), (row * parts.length + index) * width);
  return rows;
}
