import { makeRandom } from '../../random.ts';
import {
  flag,
  float32,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
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
  tinyTensors,
  vector,
  WIDTH,
} from '../tiny-weights.ts';
import { makeVocabulary, tokenizerEntries } from '../vocabulary.ts';

// The tiny model as a GLM-4.5 with an MTP layer, in the same exact arithmetic: its texts do not depend on the batch. The first layer
// writes the text. The others add nothing, so that a pass takes longer than a guess. The MTP layer has the weights of the first
// layer and takes the embedding of its token, so it guesses what the model writes next. It leaves out the hidden row by default.

/** Keeps the norm of a row of zeros from being 0 / 0. It is too small to change any other mean square. */
const EPSILON = 1e-30;
const EXPERTS = 2;
/** The norm makes the root of an embedding's mean square 1. This makes it an embedding again. */
const RESTORED = CODE_SCALE / Math.sqrt(WIDTH / CODE);

/** The weight of hidden rows, where they are added to embeddings. No sums of the two are 0 but for what is rounded. */
const ROW_SHARE = 0.3717;

export interface MtpModelOptions {
  /** Models with different seeds give different texts. Default 1. */
  seed?: number;
  /** The seed of the MTP layer's guesses. By default that of the texts: all guesses are right. */
  guessSeed?: number;
  /** True if the MTP layer adds the hidden row to the embedding: its guesses then depend on both, and are wrong. */
  addsRows?: boolean;
  /** The number of layers that write the text. Default 12. */
  layers?: number;
  /** The trained context length in the header, in tokens. Default 1024. */
  contextLength?: number;
  /** The number of MTP layers that the header names. Default 1. The file has the tensors of one, or of none. */
  mtpLayers?: number;
  /** False for a file without the tensors of the MTP layer. */
  hasMtpTensors?: boolean;
  /** A part of the name of tensors that the file lacks. */
  lacks?: string;
}

/** Writes a tiny GLM-4.5 (`glm4moe`) with an MTP layer. */
export function writeMtpModel(path: string, options: MtpModelOptions = {}): void {
  const {
    seed = 1,
    guessSeed = seed,
    layers = 12,
    contextLength = 1024,
    mtpLayers = 1,
    hasMtpTensors = true,
  } = options;
  const vocabulary = makeVocabulary();
  const own: GgufEntries = {
    context_length: uint32(contextLength),
    embedding_length: uint32(WIDTH),
    block_count: uint32(layers + mtpLayers),
    feed_forward_length: uint32(HIDDEN),
    'attention.head_count': uint32(HEADS),
    'attention.head_count_kv': uint32(1),
    'attention.layer_norm_rms_epsilon': float32(EPSILON),
    'rope.freq_base': float32(FREQUENCY_BASE),
    leading_dense_block_count: uint32(layers),
    nextn_predict_layers: uint32(mtpLayers),
    expert_count: uint32(EXPERTS),
    expert_used_count: uint32(1),
    expert_shared_count: uint32(1),
    expert_feed_forward_length: uint32(HIDDEN),
    expert_weights_norm: flag(true),
  };
  const entries: GgufEntries = {
    'general.architecture': text('glm4moe'),
    'general.name': text('Tiny model with an MTP layer'),
    'general.quantization_version': uint32(2),
    'general.file_type': uint32(0),
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`glm4moe.${key}`, value])),
    ...tokenizerEntries(vocabulary),
  };
  const all = tinyTensors(vocabulary, seed).map(({ name, ...tensor }) => ({
    ...tensor,
    name: name.replace('.ffn_norm.', '.post_attention_norm.'),
  }));
  const first = all.filter(({ name }) => name.startsWith('blk.0.'));
  const idle = Array.from({ length: layers - 1 }, (_, index) => idleLayer(first, index + 1)).flat();
  const guessGate = guessSeed === seed ? undefined : matrix('', WIDTH, HIDDEN, gate(makeRandom(guessSeed)));
  const mtp = hasMtpTensors ? mtpLayer(first, layers, guessGate, options.addsRows) : [];
  const tensors = [...all, ...idle, ...mtp].filter(({ name }) => !options.lacks || !name.includes(options.lacks));
  writeChunks(path, ggufChunks(entries, tensors));
}

/** Returns a layer with as many tensors as the first, which adds nothing. */
function idleLayer(first: readonly GgufTensor[], layer: number): GgufTensor[] {
  return renamed(first, layer).map((tensor) =>
    /attn_output|ffn_down/.test(tensor.name) ? { ...tensor, ...zeros(tensor) } : tensor,
  );
}

/** Returns the MTP layer, which guesses as the first layer writes, or with another gate. */
function mtpLayer(first: readonly GgufTensor[], layer: number, guessGate?: GgufTensor, addsRows = false): GgufTensor[] {
  const name = (part: string) => `blk.${layer}.${part}`;
  const own = renamed(first, layer);
  const experts = own
    .filter((tensor) => /ffn_(gate|up|down)/.test(tensor.name))
    .map((tensor) => expertsLike(tensor, tensor.name.includes('gate') ? (guessGate ?? tensor) : tensor));
  return [
    ...own.filter((tensor) => !/ffn_(gate|up|down)/.test(tensor.name)),
    ...experts,
    matrix(name('ffn_gate_inp.weight'), WIDTH, EXPERTS, () => 0),
    vector(name('exp_probs_b.bias'), filled(EXPERTS, 0)),
    ...['gate', 'up'].map((part) => matrix(name(`ffn_${part}_shexp.weight`), WIDTH, HIDDEN, () => 0)),
    matrix(name('ffn_down_shexp.weight'), HIDDEN, WIDTH, () => 0),
    vector(name('nextn.enorm.weight'), filled(WIDTH, 1)),
    vector(name('nextn.hnorm.weight'), filled(WIDTH, 1)),
    // The embedding comes first, then the hidden row.
    matrix(name('nextn.eh_proj.weight'), 2 * WIDTH, WIDTH, (input, output) => {
      if (input === output) return RESTORED;
      return addsRows && input === output + WIDTH ? ROW_SHARE * RESTORED : 0;
    }),
  ];
}

function renamed(tensors: readonly GgufTensor[], layer: number): GgufTensor[] {
  return tensors.map(({ name, ...tensor }) => ({ ...tensor, name: name.replace('blk.0.', `blk.${layer}.`) }));
}

/** Returns experts that all have the weights of a matrix. */
function expertsLike({ name, shape }: GgufTensor, { chunks }: GgufTensor): GgufTensor {
  const part = name.replace('.weight', '_exps.weight');
  return { name: part, type: 'F32', shape: [...shape, EXPERTS], chunks: () => filledWith(chunks) };
}

function* filledWith(chunks: GgufTensor['chunks']): Iterable<Uint8Array> {
  for (let expert = 0; expert < EXPERTS; expert++) yield* chunks();
}

function zeros({ shape }: GgufTensor): Pick<GgufTensor, 'chunks'> {
  return { chunks: () => [new Uint8Array(4 * shape.reduce((product, length) => product * length, 1))] };
}
