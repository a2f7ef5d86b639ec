import { makeRandom } from '../../test/kit/random.ts';
import { type AttentionParts, type AttentionShape, TYPES, type TypeName } from './ggml.ts';

/** Where a block of each type has its scales, which are 16-bit floats. */
const SCALES: Record<TypeName, number[]> = {
  Q8_0: [0],
  Q6_K: [208],
  Q5_K: [0, 2],
  Q4_K: [0, 2],
  Q5_0: [0],
  Q4_0: [0],
  F16: [0],
  BF16: [0],
};

/** Returns `count` weights of random bits, with scales between about 0.001 and 0.03. */
export function randomWeights(name: TypeName, count: number): Uint8Array {
  const { bytes, length } = TYPES[name];
  const random = makeRandom(1);
  const data = new Uint8Array((count / length) * bytes);
  for (let i = 0; i < data.length; i++) data[i] = random() >>> 9;
  const view = new DataView(data.buffer);
  for (let block = 0; block < data.length; block += bytes) {
    // As bits of BF16 this is a float between 2^-4 and 2^-3.
    const bits = name === 'BF16' ? 0x3d80 + (random() % 0x80) : 0x1400 + (random() % 0x1400);
    for (const at of SCALES[name]) view.setUint16(block + at, bits, true);
  }
  return data;
}

/** Returns activations between -1 and 1. */
export function randomActivations(count: number): Float32Array {
  const random = makeRandom(2);
  return Float32Array.from({ length: count }, () => random() / 2 ** 31 - 1);
}

/** Minus infinity as a 16-bit float. */
const HIDDEN = 0xfc00;

/**
 * Returns random queries, keys and values between -2 and 2, and the mask of the latest tokens of a text: each sees the
 * keys up to its own.
 */
export function randomAttention(shape: AttentionShape): AttentionParts {
  const { depth, heads, keyHeads, sequences, tokens, keys, together = 1 } = shape;
  const random = makeRandom(3);
  const cached = depth * keys * keyHeads * sequences;
  const halves = () => Uint16Array.from({ length: cached }, () => (random() >>> 9) & 0xbfff);
  const seen = (index: number) => {
    const [key, token] = [index % keys, Math.floor(index / keys) % tokens];
    return key % together === token % together && key <= keys - tokens + token;
  };
  return {
    queries: randomActivations(depth * tokens * heads * sequences).map((x) => 2 * x),
    keys: halves(),
    values: halves(),
    mask: Uint16Array.from({ length: keys * tokens * sequences }, (_, index) => (seen(index) ? 0 : HIDDEN)),
  };
}
