import { makeRandom, type Random } from '../random.ts';
import {
  float32,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  int32s,
  text,
  uint32,
  writeChunks,
} from './gguf-writer.ts';
import {
  ATTENTION_SCALE,
  CODE,
  CODE_SCALE,
  down,
  embedding,
  FREQUENCY_BASE,
  filled,
  gate,
  HEADS,
  HIDDEN,
  matrix,
  output,
  queryBias,
  RESULT_SCALE,
  up,
  vector,
  type Weight,
  WIDTH,
} from './tiny-weights.ts';
import { makeVocabulary, tokenizerEntries } from './vocabulary.ts';

// Two tiny models that can't drop their latest tokens. Both consist of the parts of the tiny model (tiny-weights.ts),
// so their tokens do not depend on the batch either, up to SMALL_BATCH. They have two layers:
//
// - The first layer copies the codes of a few recent tokens into the groups 1 to 3. The hybrid model does so by a
//   convolution, whose state holds these tokens; the other model by attention in a sliding window.
// - The second layer attends to all tokens. It copies the code that group 3 had at earlier places into the other
//   groups. A wrong state for one token therefore shows in the text as long as that token can be seen. Its feed-forward
//   layer is that of the tiny model.

/**
 * Groups that the first layer fills. With the group of the token itself they are a fourth of all groups, so the root of
 * the mean square is 1 / 2.
 */
const NEAR_GROUPS = 3;
/** The convolution sees this many tokens, the latest included. */
const CONVOLUTION_LENGTH = 8;
/** How far back the groups 1 to 3 look. */
const near = { convolution: [1, 2, 7], window: [1, 2, 19] };
/** The distances of the groups from 4 on, counted from the token that group 3 looks at. */
const far = [3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610];
/** Too small to change any mean square. It keeps the norm of a zero vector from being 0 / 0. */
const EPSILON = 1e-30;
/** Gemma multiplies embeddings by the square root of their length. */
const GEMMA_SCALE = Math.sqrt(WIDTH);

/**
 * With up to this many tokens in a pass, the texts do not depend on how a prompt is cut. From 64 tokens on, llama.cpp's
 * attention on CPUs uses another algorithm with other rounding, which changes the texts where the first layers find
 * nothing to copy.
 */
export const SMALL_BATCH = 32;

export interface ForgetfulModelOptions {
  /** Models with different seeds give different texts. Default 1. */
  seed?: number;
  /** The trained context length in the header, in tokens. Default 1024. */
  contextLength?: number;
  /** The sliding window of the first layer, in tokens. Default 32. */
  window?: number;
}

/** Writes a tiny model with a recurrent state: an LFM2 with one layer of convolution and one of attention. */
export function writeHybridModel(path: string, { seed = 1, contextLength = 1024 }: ForgetfulModelOptions = {}): void {
  const entries = {
    ...architectureEntries('lfm2', 'Tiny hybrid model', contextLength),
    'lfm2.attention.head_count_kv': int32s([0, 1]),
    'lfm2.shortconv.l_cache': uint32(CONVOLUTION_LENGTH),
    // A convolution has no norm of a zero vector.
    'lfm2.attention.layer_norm_rms_epsilon': float32(0),
  };
  const vocabulary = makeVocabulary();
  const random = makeRandom(seed);
  const size = vocabulary.tokens.length;
  write(path, entries, [
    matrix('token_embd.weight', WIDTH, size, embedding(vocabulary, random)),
    vector('blk.0.attn_norm.weight', filled(WIDTH, Math.sqrt(CODE / WIDTH))),
    matrix('blk.0.shortconv.in_proj.weight', WIDTH, 3 * WIDTH, convolutionInput),
    matrix('blk.0.shortconv.conv.weight', CONVOLUTION_LENGTH, WIDTH, tap),
    matrix('blk.0.shortconv.out_proj.weight', WIDTH, WIDTH, copied(isNear, CODE_SCALE)),
    ...feedForward(0, random),
    vector('blk.1.attn_norm.weight', filled(WIDTH, 1 / 2)),
    ...attention(1, [0, 0, 0, 0, ...far], NEAR_GROUPS, copied(isFar, CODE_SCALE)),
    ...feedForward(1, random),
    vector('token_embd_norm.weight', filled(WIDTH, 1)),
    matrix('output.weight', WIDTH, size, output(vocabulary, random)),
  ]);
}

/** Writes a tiny model with a sliding window: a Gemma 3 whose first layer sees only the latest tokens. */
export function writeWindowModel(path: string, options: ForgetfulModelOptions = {}): void {
  const { seed = 1, contextLength = 1024, window = 32 } = options;
  const entries = {
    ...architectureEntries('gemma3', 'Tiny sliding window model', contextLength),
    'gemma3.attention.head_count_kv': uint32(1),
    'gemma3.attention.key_length': uint32(CODE),
    'gemma3.attention.value_length': uint32(CODE),
    'gemma3.attention.sliding_window': uint32(window),
    // Every second layer attends to all tokens.
    'gemma3.attention.sliding_window_pattern': uint32(2),
    'gemma3.rope.freq_base_swa': float32(FREQUENCY_BASE),
    'gemma3.attention.layer_norm_rms_epsilon': float32(EPSILON),
  };
  const vocabulary = makeVocabulary();
  const random = makeRandom(seed);
  const size = vocabulary.tokens.length;
  const scale = CODE_SCALE * GEMMA_SCALE;
  const idle = HEADS - 1 - NEAR_GROUPS;
  write(path, entries, [
    matrix('token_embd.weight', WIDTH, size, embedding(vocabulary, random)),
    vector('blk.0.attn_norm.weight', filled(WIDTH, Math.sqrt(CODE / WIDTH))),
    ...attention(0, [0, ...near.window, ...filled(idle, 0)], 0, copied(isNear, 1)),
    vector('blk.0.post_attention_norm.weight', filled(WIDTH, scale * Math.sqrt(NEAR_GROUPS / HEADS))),
    ...feedForward(0, random),
    vector('blk.0.post_ffw_norm.weight', filled(WIDTH, 1)),
    vector('blk.1.attn_norm.weight', filled(WIDTH, 1 / 2)),
    ...attention(1, [0, 0, 0, 0, ...far], NEAR_GROUPS, copied(isFar, 1)),
    vector('blk.1.post_attention_norm.weight', filled(WIDTH, scale * Math.sqrt(far.length / HEADS))),
    ...feedForward(1, random),
    vector('blk.1.post_ffw_norm.weight', filled(WIDTH, RESULT_SCALE * GEMMA_SCALE)),
    vector('output_norm.weight', filled(WIDTH, 1)),
    matrix('output.weight', WIDTH, size, output(vocabulary, random)),
  ]);
}

const groupOf = (dimension: number) => Math.floor(dimension / CODE);
const isNear = (group: number) => group > 0 && group <= NEAR_GROUPS;
const isFar = (group: number) => group > NEAR_GROUPS;

/** Returns the weight that copies the dimensions of some groups. */
function copied(isOf: (group: number) => boolean, weight: number): Weight {
  return (input, out) => (input === out && isOf(groupOf(input)) ? weight : 0);
}

/** Returns the input of the convolution: two factors, which are 1, and the code of the token for each group. */
function convolutionInput(input: number, out: number): number {
  return out < 2 * WIDTH ? Number(input === 0) : Number(input === out % CODE);
}

/** Returns the kernel: each group takes one of the tokens that the convolution sees. */
function tap(place: number, dimension: number): number {
  const distance = near.convolution[groupOf(dimension) - 1];
  return Number(distance !== undefined && place === CONVOLUTION_LENGTH - 1 - distance);
}

/**
 * Makes the attention by distance alone, as in the tiny model. The norms of queries and keys restore the length that
 * they have there.
 *
 * @param distances how far back each head looks, in tokens
 * @param group the group that is copied from there
 */
function attention(layer: number, distances: number[], group: number, out: Weight): GgufTensor[] {
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  const queries = distances.flatMap(queryBias);
  const keys = queryBias(0);
  const norm = filled(CODE, ATTENTION_SCALE / Math.SQRT2);
  return [
    matrix(name('attn_q'), WIDTH, WIDTH, (input, output) => (input === 0 ? (queries[output] ?? 0) : 0)),
    matrix(name('attn_k'), WIDTH, CODE, (input, output) => (input === 0 ? (keys[output] ?? 0) : 0)),
    matrix(name('attn_v'), WIDTH, CODE, (input, output) => Number(input === group * CODE + output)),
    matrix(name('attn_output'), WIDTH, WIDTH, out),
    vector(name('attn_q_norm'), norm),
    vector(name('attn_k_norm'), norm),
  ];
}

/**
 * Makes the feed-forward layer: in the second layer that of the tiny model, in the first layer one that adds nothing.
 */
function feedForward(layer: number, random: Random): GgufTensor[] {
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  const adds = layer > 0;
  return [
    vector(name('ffn_norm'), filled(WIDTH, 1)),
    matrix(name('ffn_gate'), WIDTH, HIDDEN, adds ? gate(random) : () => 0),
    matrix(name('ffn_up'), WIDTH, HIDDEN, adds ? up : () => 0),
    matrix(name('ffn_down'), HIDDEN, WIDTH, adds ? down : () => 0),
  ];
}

function architectureEntries(architecture: string, name: string, contextLength: number): GgufEntries {
  return {
    'general.architecture': text(architecture),
    'general.name': text(name),
    'general.quantization_version': uint32(2),
    'general.file_type': uint32(0),
    [`${architecture}.context_length`]: uint32(contextLength),
    [`${architecture}.embedding_length`]: uint32(WIDTH),
    [`${architecture}.block_count`]: uint32(2),
    [`${architecture}.feed_forward_length`]: uint32(HIDDEN),
    [`${architecture}.attention.head_count`]: uint32(HEADS),
    [`${architecture}.rope.freq_base`]: float32(FREQUENCY_BASE),
    ...tokenizerEntries(makeVocabulary()),
  };
}

function write(path: string, entries: GgufEntries, tensors: GgufTensor[]): void {
  writeChunks(path, ggufChunks(entries, tensors));
}
