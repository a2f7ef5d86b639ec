import { makeRandom, type Random, randomSign } from '../random.ts';
import { float32Tensor, type GgufTensor } from './gguf-writer.ts';
import { openers, specialTokens, spell, type Vocabulary, words } from './vocabulary.ts';

// The tensors of one transformer block. It computes a random function of the last token and of tokens further back.
// Weights and activations are chosen so that float arithmetic is exact in any order of summation: every summand is a
// small multiple of one power of two. A token's logits therefore do not depend on its batch. What is multiplied fits half
// floats too, in which GPUs multiply matrices.
//
// - Each token has a code of CODE signs. The embedding holds it in the first CODE of WIDTH dimensions.
// - Attention ignores content. Query and key are constants, and the rotation by position makes head h pick the token
//   `distances[h]` places back. It copies that token's code to the h-th group of CODE dimensions.
// - The feed-forward layer turns the WIDTH signs into WIDTH new ones. Each is the sign of a random sum of the old ones.
// - The output layer consists of random signs too. Dimension 0, which is always 1, adds a preference for each token.

/** Size of a head and of a token's code, in dimensions. */
export const CODE = 16;
/** WIDTH / CODE is a power of 4, so that the root of the mean square is a power of two. */
export const HEADS = 16;
export const WIDTH = CODE * HEADS;
export const HIDDEN = 2 * WIDTH;
export const FREQUENCY_BASE = 10_000;

/** Head h looks this many places back. The first one's group holds the token itself. */
const distances = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987];

/** The feed-forward layer's results are this or its negative. It multiplies sums of up to WIDTH signs by this: half floats end at 65,504. */
export const RESULT_SCALE = 2 ** 7;
/** Too small to survive the addition to the feed-forward layer's results in a float, but no zero as a half float. */
export const CODE_SCALE = 2 ** -19;
/** With keys and queries of this size, every position except the best one has a softmax weight of exactly 0. */
export const ATTENTION_SCALE = 32;
/** Inputs of SiLU are multiples of this. SiLU then returns exactly its input or exactly 0. */
const SATURATION = 128;
/** A token's logit is a sum of WIDTH of these, which gives a standard deviation of 4. */
const LOGIT_STEP = 1 / 4;
/** Added once per token id, so that no two logits are ever equal. All of them together are less than a logit step. */
const TIE_BREAK = 1 / 1024;
/** A token whose logit is this much lower never appears. */
const NEVER = -64;
/** Dimension 1 is 1 after the first part of a character, and -1 otherwise. It moves logits by this. */
const COMPLETION = 16;

/** The figures of the tiny model's architecture. Its metadata repeats them. */
export const tinyShape = {
  width: WIDTH,
  hidden: HIDDEN,
  layers: 1,
  heads: HEADS,
  keyHeads: 1,
  frequencyBase: FREQUENCY_BASE,
  // The exact arithmetic allows no summand that would keep the root of the mean square away from zero.
  epsilon: 0,
};

/** Makes the tensors in F32 for a vocabulary of at most 512 tokens. `endBias` is the preference for ending the turn. */
export function tinyTensors(vocabulary: Vocabulary, seed: number, endBias?: number): GgufTensor[] {
  const random = makeRandom(seed);
  const size = vocabulary.tokens.length;
  return [
    matrix('token_embd.weight', WIDTH, size, embedding(vocabulary, random)),
    vector('blk.0.attn_norm.weight', filled(WIDTH, Math.sqrt(CODE / WIDTH))),
    matrix('blk.0.attn_q.weight', WIDTH, WIDTH, () => 0),
    vector('blk.0.attn_q.bias', distances.flatMap(queryBias)),
    matrix('blk.0.attn_k.weight', WIDTH, CODE, () => 0),
    vector('blk.0.attn_k.bias', queryBias(0)),
    matrix('blk.0.attn_v.weight', WIDTH, CODE, (input, output) => Number(input === output)),
    vector('blk.0.attn_v.bias', filled(CODE, 0)),
    matrix('blk.0.attn_output.weight', WIDTH, WIDTH, (input, output) =>
      input === output && input >= CODE ? CODE_SCALE : 0,
    ),
    vector('blk.0.ffn_norm.weight', filled(WIDTH, 1)),
    matrix('blk.0.ffn_gate.weight', WIDTH, HIDDEN, gate(random)),
    matrix('blk.0.ffn_up.weight', WIDTH, HIDDEN, up),
    matrix('blk.0.ffn_down.weight', HIDDEN, WIDTH, down),
    vector('output_norm.weight', filled(WIDTH, 1)),
    matrix('output.weight', WIDTH, size, output(vocabulary, random, endBias)),
  ];
}

/** Returns the weight at an input and output index. */
export type Weight = (input: number, output: number) => number;

export function matrix(name: string, inputs: number, outputs: number, weight: Weight): GgufTensor {
  const values = Float32Array.from({ length: inputs * outputs }, (_, index) =>
    weight(index % inputs, Math.floor(index / inputs)),
  );
  return float32Tensor(name, [inputs, outputs], values);
}

export function vector(name: string, values: number[]): GgufTensor {
  return float32Tensor(name, [values.length], Float32Array.from(values));
}

export function filled(length: number, value: number): number[] {
  return Array.from({ length }, () => value);
}

/**
 * Makes the codes: a constant 1, then 1 if the token begins a character that is not complete and else -1, then signs
 * that no other token has.
 */
export function embedding({ tokens }: Vocabulary, random: Random): Weight {
  const openSpellings = new Set(openers.map(spell));
  const taken = new Set<number>();
  const rows = tokens.map((token) => {
    let bits = random() >>> CODE;
    while (taken.has(bits >>> 2)) bits = random() >>> CODE;
    taken.add(bits >>> 2);
    const code = Array.from({ length: CODE }, (_, place) => ((bits >>> place) & 1 ? 1 : -1));
    code[0] = 1;
    code[1] = openSpellings.has(token) ? 1 : -1;
    return code;
  });
  return (input, token) => (rows[token]?.[input] ?? 0) * CODE_SCALE;
}

/**
 * Makes a query that the rotation by position turns into the key of `distance` places back. Distance 0 gives the key
 * itself.
 */
export function queryBias(distance: number): number[] {
  const half = CODE / 2;
  const angles = Array.from({ length: half }, (_, pair) => distance * FREQUENCY_BASE ** (-pair / half));
  return [
    ...angles.map((angle) => ATTENTION_SCALE * Math.cos(angle)),
    ...angles.map((angle) => -ATTENTION_SCALE * Math.sin(angle)),
  ];
}

/**
 * Hidden units 2d and 2d + 1 serve dimension d. They hold the same odd sum, plus 1 and minus 1. After the cut at 0 they
 * differ by 2 if the sum is positive; otherwise they are equal. Unit 0 is a constant, and dimension 1 keeps its value.
 */
export function gate(random: Random): Weight {
  const signs = Int8Array.from({ length: WIDTH * WIDTH }, () => randomSign(random));
  return (input, unit) => {
    const dimension = unit >> 1;
    if (dimension === 0) return input === 0 && unit === 0 ? SATURATION : 0;
    if (input === 0) return unit % 2 === 0 ? SATURATION : -SATURATION;
    if (dimension === 1) return input === 1 ? SATURATION : 0;
    return SATURATION * (signs[dimension * WIDTH + input] ?? 0);
  };
}

/** Every hidden unit has the same factor. */
export function up(input: number): number {
  return input === 0 ? 1 / SATURATION : 0;
}

/** Dimension d becomes the difference of its two hidden units, minus 1, and dimension 0 becomes 1, times RESULT_SCALE. */
export function down(unit: number, dimension: number): number {
  if (unit === 0) return dimension === 0 ? RESULT_SCALE : -RESULT_SCALE;
  if (dimension === 0 || unit >> 1 !== dimension) return 0;
  return unit % 2 === 0 ? RESULT_SCALE : -RESULT_SCALE;
}

/** Returns the output layer: random signs, and a preference for each token in dimension 0. */
export function output({ tokens }: Vocabulary, random: Random, endBias = NEVER): Weight {
  const preference = preferences(endBias);
  const biases = tokens.map((token, id) => preference(token, id) + id * TIE_BREAK);
  return (dimension, id) => {
    if (dimension === 0) return biases[id] ?? 0;
    if (dimension === 1) return isContinuation(id) ? COMPLETION : -COMPLETION;
    return randomSign(random) * LOGIT_STEP;
  };
}

/** Ids below 256 are bytes. */
function isContinuation(id: number): boolean {
  return id >= 0x80 && id < 0xc0;
}

/**
 * Makes the output look like text: words and letters are frequent, punctuation is rare, broken characters never appear.
 */
function preferences(endBias: number): (token: string, id: number) => number {
  const known = new Map<string, number>([
    ...words.map((word): [string, number] => [spell(Buffer.from(word)), 2]),
    ...openers.map((bytes): [string, number] => [spell(bytes), 2]),
    [specialTokens[1], endBias],
    [spell(Uint8Array.of(32)), 4],
    [spell(Uint8Array.of(10)), 0],
    // Likely enough to end a JSON string soon when a grammar asks for one.
    ['"', 4],
  ]);
  return (token, id) => {
    const fixed = known.get(token);
    if (fixed !== undefined) return fixed;
    if (isContinuation(id)) return 0;
    if (id >= 97 && id <= 122) return 2;
    return id > 32 && id < 127 ? -3 : NEVER;
  };
}
