import { addressOf, lengthForC } from './library/bindings.ts';
import type { Pointer } from './library/pointer.ts';
import { offsetOf } from './library/structs.ts';
import type { Token } from './tokens/token.ts';

/**
 * llama.cpp's array of candidates for the next token, `llama_token_data_array`, in memory of our own: samplers change it
 * in place.
 */
export interface NativeCandidates {
  /** The address of the struct, for `llama_sampler_apply`. */
  readonly address: Pointer;
  /** Fills in these tokens with their logits. */
  fill(tokens: ArrayLike<Token>, logits: ArrayLike<number>): void;
  /** Fills in the whole vocabulary, given all logits in the order of the tokens. */
  fillAll(logits: Float32Array): void;
  /** Returns the logit of the candidate at an index. */
  logitAt(index: number): number;
  /** Returns the logits of all candidates, in their order. */
  logits(): Float32Array;
  /** Returns the token that the samplers have selected; null if there is none. */
  selected(): Token | null;
}

/** The fields of `llama_token_data`, 4 bytes each: id, logit, p. */
const FIELDS = 3;
const STRUCT = 'llama_token_data_array';
const AT = {
  data: offsetOf(STRUCT, 'data'),
  size: offsetOf(STRUCT, 'size'),
  selected: offsetOf(STRUCT, 'selected'),
  sorted: offsetOf(STRUCT, 'sorted'),
};

/** Makes an array for up to `most` candidates. */
export function createCandidates(most: number): NativeCandidates {
  const numbers = new Int32Array(lengthForC(FIELDS * most));
  const values = new Float32Array(numbers.buffer);
  const struct = new DataView(new ArrayBuffer(128));
  const bytes = new Uint8Array(struct.buffer);
  const data = addressOf(numbers);
  const begin = (size: number) => {
    // A sampler may have moved the beginning past candidates that it removed.
    struct.setBigUint64(AT.data, data, true);
    struct.setBigUint64(AT.size, BigInt(size), true);
    struct.setBigInt64(AT.selected, -1n, true);
    bytes[AT.sorted] = 0;
  };
  const set = (index: number, token: Token, logit: number) => {
    numbers[FIELDS * index] = token;
    values[FIELDS * index + 1] = logit;
    values[FIELDS * index + 2] = 0;
  };

  return {
    address: addressOf(bytes),
    fill(tokens, logits) {
      begin(tokens.length);
      for (let index = 0; index < tokens.length; index++) set(index, tokens[index] ?? 0, logits[index] ?? 0);
    },
    fillAll(logits) {
      begin(logits.length);
      for (let token = 0; token < logits.length; token++) set(token, token, logits[token] ?? 0);
    },
    logitAt: (index) => values[FIELDS * index + 1] ?? 0,
    logits() {
      const size = Number(struct.getBigUint64(AT.size, true));
      return Float32Array.from({ length: size }, (_, index) => values[FIELDS * index + 1] ?? 0);
    },
    selected() {
      const index = Number(struct.getBigInt64(AT.selected, true));
      const size = Number(struct.getBigUint64(AT.size, true));
      return index >= 0 && index < size ? (numbers[FIELDS * index] ?? null) : null;
    },
  };
}
