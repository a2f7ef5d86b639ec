import {
  benchmarkTensors,
  type DecoderShape,
  halfBillionShape,
  type Quantization,
  tenthBillionShape,
} from '../benchmark-weights.ts';
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
import { filled, matrix, vector } from '../tiny-weights.ts';
import { makeVocabulary, tokenizerEntries } from '../vocabulary.ts';

export interface BenchmarkMtpOptions {
  shape: 'half-billion' | 'tenth-billion';
  /** The number of tokens in the vocabulary. */
  vocabularySize: number;
  /** The format of the matrices. */
  quantization: Quantization;
  /** True if the MTP layer guesses all tokens right, false if it guesses all wrong. */
  guessesRight: boolean;
}

const EXPERTS = 4;
/** The token of a single byte is its value. */
const LINE_BREAK = 10;
/** The number of tokens that the model writes before it repeats itself. */
const CIRCLE = 4000;

/**
 * Writes a GLM-4.5 with the layers of a Qwen2 and one MTP layer: a mixture of experts, of which a token takes one and a shared
 * one, together as large as the feed-forward network of another layer. Its layers add nothing, but cost their time. Each token is
 * followed by another one, and the MTP layer maps a token to the one after it, or to itself.
 */
export function writeBenchmarkMtp(path: string, options: BenchmarkMtpOptions): void {
  const { quantization, vocabularySize, guessesRight } = options;
  const shape = options.shape === 'half-billion' ? halfBillionShape : tenthBillionShape;
  const vocabulary = makeVocabulary(vocabularySize);
  const size = vocabulary.tokens.length;
  // The line break that ends a chat prompt comes first.
  const words = Array.from({ length: CIRCLE }, (_, index) => size - CIRCLE + index);
  const decoder = benchmarkTensors({
    shape,
    quantization,
    vocabularySize: size,
    seed: 1,
    circle: [LINE_BREAK, ...words],
  });
  const tensors = decoder.map((tensor) => ({
    ...tensor,
    name: tensor.name.replace('.ffn_norm.', '.post_attention_norm.'),
  }));
  writeChunks(path, ggufChunks(entriesOf(shape, vocabulary), [...tensors, ...mtpLayer(shape, tensors, guessesRight)]));
}

function entriesOf(shape: DecoderShape, vocabulary: ReturnType<typeof makeVocabulary>): GgufEntries {
  const own: GgufEntries = {
    context_length: uint32(32_768),
    embedding_length: uint32(shape.width),
    block_count: uint32(shape.layers + 1),
    feed_forward_length: uint32(shape.hidden),
    'attention.head_count': uint32(shape.heads),
    'attention.head_count_kv': uint32(shape.keyHeads),
    'attention.layer_norm_rms_epsilon': float32(shape.epsilon),
    'rope.freq_base': float32(shape.frequencyBase),
    leading_dense_block_count: uint32(shape.layers),
    nextn_predict_layers: uint32(1),
    expert_count: uint32(EXPERTS),
    expert_used_count: uint32(1),
    expert_shared_count: uint32(1),
    expert_feed_forward_length: uint32(shape.hidden / 2),
    expert_weights_norm: flag(true),
  };
  return {
    'general.architecture': text('glm4moe'),
    'general.name': text('Benchmark model with an MTP layer'),
    'general.quantization_version': uint32(2),
    'general.file_type': uint32(7),
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`glm4moe.${key}`, value])),
    ...tokenizerEntries(vocabulary),
  };
}

/** Makes an MTP layer of the tensors of a layer that adds nothing. */
function mtpLayer({ width, hidden, layers }: DecoderShape, all: readonly GgufTensor[], isRight: boolean): GgufTensor[] {
  const last = all.filter(({ name }) => name.startsWith(`blk.${layers - 1}.`));
  const own = last.map((tensor) => ({ ...tensor, name: tensor.name.replace(`blk.${layers - 1}.`, `blk.${layers}.`) }));
  const name = (part: string) => `blk.${layers}.${part}`;
  const isNetwork = (tensor: GgufTensor) => /ffn_(gate|up|down)/.test(tensor.name);
  const halves = own.filter(isNetwork).map((tensor) => halfOf(tensor, hidden));
  return [
    ...own.filter((tensor) => !isNetwork(tensor)),
    ...halves.map((half) => ({ ...half, name: half.name.replace('.weight', '_shexp.weight') })),
    ...halves.map((half) => expertsOf(half)),
    matrix(name('ffn_gate_inp.weight'), width, EXPERTS, () => 0),
    vector(name('exp_probs_b.bias'), filled(EXPERTS, 0)),
    vector(name('nextn.enorm.weight'), filled(width, 1)),
    vector(name('nextn.hnorm.weight'), filled(width, 1)),
    // The embedding comes first, then the hidden row. The embedding's negative makes other tokens the most likely ones.
    matrix(name('nextn.eh_proj.weight'), 2 * width, width, (input, output) =>
      input === output ? (isRight ? 1 : -1) : 0,
    ),
  ];
}

/** Returns a matrix of a network of which one side is half as long. Only its size matters: networks add nothing. */
function halfOf(tensor: GgufTensor, hidden: number): GgufTensor {
  const shape = tensor.shape.map((length) => (length === hidden ? length / 2 : length));
  function* chunks(): Generator<Uint8Array> {
    const bytes = Buffer.concat([...tensor.chunks()]);
    yield bytes.subarray(0, bytes.length / 2);
  }
  return { ...tensor, shape, chunks };
}

function expertsOf({ name, type, shape, chunks }: GgufTensor): GgufTensor {
  function* all(): Generator<Uint8Array> {
    for (let expert = 0; expert < EXPERTS; expert++) yield* chunks();
  }
  return { name: name.replace('.weight', '_exps.weight'), type, shape: [...shape, EXPERTS], chunks: all };
}
