import { makeRandom } from '../../random.ts';
import {
  flag,
  float32,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  int32s,
  int64Tensor,
  text,
  uint32,
  writeChunks,
} from '../gguf-writer.ts';
import {
  CODE,
  CODE_SCALE,
  FREQUENCY_BASE,
  filled,
  gate,
  HEADS,
  HIDDEN,
  matrix,
  queryBias,
  tinyTensors,
  vector,
  WIDTH,
} from '../tiny-weights.ts';
import { makeVocabulary, tokenizerEntries } from '../vocabulary.ts';

// The tiny model as a Llama, and an EAGLE-3 draft model for it, in the same exact arithmetic: texts do not depend on the batch. The first
// layer of the Llama writes the text; the others add nothing, so that a pass takes longer than a guess. The draft model has the weights
// of the first layer, and copies the code of its own token too, so it guesses what the Llama writes next. It leaves out the hidden row by
// default. No head looks further back than three tokens: the draft model does not evaluate the first token of a text.

/** Keeps the norm of a row of zeros from being 0 / 0. It is too small to change any other mean square. */
const EPSILON = 1e-30;
/** How many places back each head looks. The first one's group holds the token itself. */
const DISTANCES = Array.from({ length: HEADS }, (_, head) => (head === 0 ? 0 : 1 + ((head - 1) % 3)));
/** The weight of hidden rows, where they are added to embeddings. No sums of the two are 0 but for what is rounded. */
const ROW_SHARE = 0.3717 * CODE_SCALE;
/** The weights of the three layers in a hidden row. The first one's input are embeddings, the others' are 2^26 times as large. */
const LAYER_SHARES = [2 ** 26, 0.5, 0.25];

export interface Eagle3TargetOptions {
  /** Models with different seeds give different texts. Default 1. */
  seed?: number;
  /** The number of layers. Default 12. */
  layers?: number;
  /** Further fields of the header. */
  entries?: GgufEntries;
}

/** Writes a tiny Llama for which the draft model guesses. */
export function writeEagle3Target(path: string, { seed = 1, layers = 12, entries }: Eagle3TargetOptions = {}): void {
  const all = layersOf(seed);
  const first = all.filter(({ name }) => name.startsWith('blk.0.'));
  const idle = Array.from({ length: layers - 1 }, (_, index) => idleLayer(first, index + 1)).flat();
  writeChunks(path, ggufChunks({ ...headerOf('llama', layers), ...entries }, [...all, ...idle]));
}

export interface Eagle3DraftOptions {
  /** The seed of the model for which it guesses. Default 1. */
  seed?: number;
  /** The seed of the guesses. By default that of the texts: all guesses are right. */
  guessSeed?: number;
  /** True if it adds the hidden row to the embedding: its guesses then depend on both, and are wrong. */
  addsRows?: boolean;
  /** The layers of the target whose inputs it reads. Default 0, 6 and 11. */
  targetLayers?: number[];
  /** The numbers of an input of these layers. By default those of the tiny Llama. */
  targetWidth?: number;
  /** The tokens that it can guess. By default all of the vocabulary. */
  vocabulary?: number[];
  /** The name of a tensor that the file lacks. */
  lacks?: string;
  /** Further fields of the header. */
  entries?: GgufEntries;
}

/** Writes the EAGLE-3 draft model of a tiny Llama. */
export function writeEagle3Draft(path: string, options: Eagle3DraftOptions = {}): void {
  const {
    seed = 1,
    guessSeed = seed,
    addsRows = false,
    targetLayers = [0, 6, 11],
    targetWidth = WIDTH,
    vocabulary,
    lacks,
  } = options;
  const all = new Map(tinyTensors(makeVocabulary(), seed).map((tensor) => [tensor.name, tensor]));
  const same = (name: string) => {
    const tensor = all.get(name);
    if (!tensor) throw new Error(`the tiny model has no ${name}`);
    return tensor;
  };
  const guessGate = () => matrix('blk.0.ffn_gate.weight', WIDTH, HIDDEN, gate(makeRandom(guessSeed)));
  const layer = (part: string) => `blk.0.${part}.weight`;
  const queries = DISTANCES.flatMap(interleavedQuery);
  const tensors = [
    same('token_embd.weight'),
    matrix('fc.weight', LAYER_SHARES.length * targetWidth, WIDTH, (input, output) =>
      input % targetWidth === output ? (LAYER_SHARES[Math.floor(input / targetWidth)] ?? 0) : 0,
    ),
    same('output_norm.weight'),
    ...outputOf(same('output.weight'), vocabulary),
    same(layer('attn_norm')),
    vector(layer('attn_norm_2'), filled(WIDTH, addsRows ? ROW_SHARE : 0)),
    // The embedding comes first, then the hidden row. Dimension 0 of an embedding is the same for all tokens.
    matrix(layer('attn_q'), 2 * WIDTH, WIDTH, (input, output) => (input === 0 ? (queries[output] ?? 0) : 0)),
    matrix(layer('attn_k'), 2 * WIDTH, CODE, (input, output) => (input === 0 ? (queries[output] ?? 0) : 0)),
    matrix(layer('attn_v'), 2 * WIDTH, CODE, (input, output) => Number(input === output)),
    matrix(layer('attn_output'), WIDTH, WIDTH, (input, output) => (input === output ? CODE_SCALE : 0)),
    same(layer('ffn_norm')),
    guessSeed === seed ? same(layer('ffn_gate')) : guessGate(),
    same(layer('ffn_up')),
    same(layer('ffn_down')),
  ].filter(({ name }) => name !== lacks);
  const entries: GgufEntries = {
    ...headerOf('eagle3', 1),
    'eagle3.target_layers': int32s(targetLayers),
    'eagle3.target_hidden_size': uint32(targetWidth),
    'eagle3.norm_before_residual': flag(true),
    ...options.entries,
  };
  writeChunks(path, ggufChunks(entries, tensors));
}

/** Returns the tiny model's tensors with heads that look back a few tokens, for an architecture that turns neighbouring dimensions. */
function layersOf(seed: number): GgufTensor[] {
  return tinyTensors(makeVocabulary(), seed).map((tensor) => {
    if (tensor.name === 'blk.0.attn_q.bias') return vector(tensor.name, DISTANCES.flatMap(interleavedQuery));
    if (tensor.name === 'blk.0.attn_k.bias') return vector(tensor.name, interleavedQuery(0));
    return tensor;
  });
}

/** Returns `queryBias` with the two dimensions of each pair side by side. */
function interleavedQuery(distance: number): number[] {
  const query = queryBias(distance);
  const half = query.length / 2;
  return query.map((_, index) => query[(index >> 1) + (index % 2) * half] ?? 0);
}

/** Returns a layer with as many tensors as the first, which adds nothing. */
function idleLayer(first: readonly GgufTensor[], layer: number): GgufTensor[] {
  return first.map((tensor) => {
    const name = tensor.name.replace('blk.0.', `blk.${layer}.`);
    if (!/attn_output|ffn_down/.test(name)) return { ...tensor, name };
    const [inputs = 0, outputs = 0] = tensor.shape;
    return matrix(name, inputs, outputs, () => 0);
  });
}

/** Returns the output layer, for some tokens together with the list of them. */
function outputOf(whole: GgufTensor, tokens: number[] | undefined): GgufTensor[] {
  if (!tokens) return [whole];
  const rows = Buffer.concat([...whole.chunks()]);
  const rowBytes = 4 * WIDTH;
  const chunks = () => tokens.map((token) => rows.subarray(token * rowBytes, (token + 1) * rowBytes));
  return [{ ...whole, shape: [WIDTH, tokens.length], chunks }, int64Tensor('d2t', tokens)];
}

function headerOf(architecture: string, layers: number): GgufEntries {
  const own: GgufEntries = {
    context_length: uint32(1024),
    embedding_length: uint32(WIDTH),
    block_count: uint32(layers),
    feed_forward_length: uint32(HIDDEN),
    'attention.head_count': uint32(HEADS),
    'attention.head_count_kv': uint32(1),
    'attention.layer_norm_rms_epsilon': float32(EPSILON),
    'rope.freq_base': float32(FREQUENCY_BASE),
  };
  return {
    'general.architecture': text(architecture),
    'general.name': text(`Tiny ${architecture}`),
    'general.quantization_version': uint32(2),
    'general.file_type': uint32(0),
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`${architecture}.${key}`, value])),
    ...tokenizerEntries(makeVocabulary()),
  };
}
