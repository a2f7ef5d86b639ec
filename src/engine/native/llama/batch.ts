import { addressOf } from './library/bindings.ts';
import type { Batch } from './library/structs.ts';
import { GRID_DIMENSIONS, type MediaRows } from './media/rows.ts';
import type { Part } from './pass-order.ts';
import type { LogitsPlace } from './tokens/token.ts';

/** llama.cpp's batch, with arrays of our own that are filled anew for each forward pass. */
export interface PassBatch {
  /** The struct for `llama_decode`. It points to the arrays, so it may be used as long as this object is kept. */
  readonly struct: Batch;
  /**
   * Puts the parts into the batch, in this order. A part with rows must be the only one. Returns the places of the logits
   * of each part.
   */
  fill(parts: readonly Part[]): LogitsPlace[][];
}

/**
 * Makes a batch of up to `size` tokens. Short typed arrays may be moved in memory, so it has a few more places. `fill`
 * throws a `RangeError` for more tokens than `size`.
 *
 * @param width the numbers of a hidden row, if the parts have such rows
 */
export function createBatch(size: number, width = 0): PassBatch {
  const length = size + 64;
  const token = new Int32Array(length);
  const pos = new Int32Array(GRID_DIMENSIONS * length);
  const sequence = new Int32Array(length);
  const sequenceCount = new Int32Array(length).fill(1);
  const logits = new Int8Array(length);
  const hidden = new Float32Array(width * length);
  // Each token belongs to one sequence: its list of sequences is one number of `sequence`.
  const sequenceAt = addressOf(sequence);
  const sequences = BigUint64Array.from({ length }, (_, index) => sequenceAt + BigInt(4 * index));
  const struct: Batch = {
    n_tokens: 0,
    token: addressOf(token),
    embd: null,
    pos: addressOf(pos),
    n_seq_id: addressOf(sequenceCount),
    seq_id: addressOf(sequences),
    logits: addressOf(logits),
  };
  // The arrays stay in memory as long as this function, which uses them all.
  const arrays = { token, pos, sequence, sequenceCount, sequences, logits, hidden };

  const fill = (parts: readonly Part[]): LogitsPlace[][] => {
    let count = 0;
    arrays.logits.fill(0);
    const places = parts.map((part) => {
      const from = count;
      for (const [index, id] of part.tokens.entries()) {
        arrays.token[count] = id;
        arrays.pos[count] = (part.position ?? part.at) + index;
        arrays.sequence[count] = part.sequence;
        count += 1;
      }
      if (part.hidden) arrays.hidden.set(part.hidden, from * width);
      const own = part.logitsAt.map((index) => from + index);
      for (const place of own) arrays.logits[place] = 1;
      return own;
    });
    if (count > size) throw new RangeError(`a batch of ${size} tokens can not hold ${count}`);
    struct.n_tokens = count;
    return places;
  };
  /** Replaces the tokens of a part with its rows, and sets their positions. */
  const putRows = ({ at, position = at, tokens }: Part, { embeddings, offset, grid }: MediaRows) => {
    const count = tokens.length;
    for (let index = 0; index < (grid ? GRID_DIMENSIONS : 1) * count; index++) {
      const base = index < COUNTED_DIMENSIONS * count ? position : 0;
      arrays.pos[index] = base + (grid ? (grid[index] ?? 0) : offset + index);
    }
    struct.token = null;
    struct.embd = addressOf(embeddings);
  };

  return {
    struct,
    fill(parts) {
      const places = fill(parts);
      struct.token = addressOf(token);
      struct.embd = width > 0 ? addressOf(hidden) : null;
      const [part] = parts;
      if (part?.rows) putRows(part, part.rows);
      return places;
    },
  };
}

/** The dimensions of M-RoPE whose positions are counted from that of the piece. */
const COUNTED_DIMENSIONS = 3;
