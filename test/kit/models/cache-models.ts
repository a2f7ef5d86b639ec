import { makeRandom, randomSign } from '../random.ts';
import {
  float32,
  float32Tensor,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  text,
  uint32,
  writeChunks,
} from './gguf-writer.ts';
import { makeVocabulary, tokenizerEntries } from './vocabulary.ts';

// Two models of two layers with random weights, whose caches have a form of their own.

const WIDTH = 64;
const LAYERS = 2;
const WEIGHT = 0.05;

/** Writes a DeepSeek 2: the keys of all heads are one latent vector of a token, which holds the values too. */
export function writeLatentModel(path: string): void {
  const heads = 2;
  const [queryRank, keyRank] = [16, 32];
  const [rope, plain, value] = [8, 8, 16];
  const hidden = 128;
  const entries = {
    context_length: uint32(8192),
    embedding_length: uint32(WIDTH),
    block_count: uint32(LAYERS),
    feed_forward_length: uint32(hidden),
    leading_dense_block_count: uint32(LAYERS),
    expert_feed_forward_length: uint32(hidden),
    expert_shared_count: uint32(0),
    'attention.head_count': uint32(heads),
    'attention.head_count_kv': uint32(1),
    'attention.layer_norm_rms_epsilon': float32(1e-6),
    'attention.q_lora_rank': uint32(queryRank),
    'attention.kv_lora_rank': uint32(keyRank),
    'attention.key_length': uint32(keyRank + rope),
    'attention.value_length': uint32(keyRank),
    'attention.key_length_mla': uint32(plain + rope),
    'attention.value_length_mla': uint32(value),
    'rope.dimension_count': uint32(rope),
    'rope.freq_base': float32(10_000),
  };
  write(path, 'deepseek2', entries, (layer) => [
    norm(`${layer}.attn_norm`, WIDTH),
    norm(`${layer}.attn_q_a_norm`, queryRank),
    norm(`${layer}.attn_kv_a_norm`, keyRank),
    weights(`${layer}.attn_q_a.weight`, [WIDTH, queryRank]),
    weights(`${layer}.attn_q_b.weight`, [queryRank, heads * (plain + rope)]),
    weights(`${layer}.attn_kv_a_mqa.weight`, [WIDTH, keyRank + rope]),
    weights(`${layer}.attn_k_b.weight`, [plain, keyRank, heads]),
    weights(`${layer}.attn_v_b.weight`, [keyRank, value, heads]),
    weights(`${layer}.attn_output.weight`, [heads * value, WIDTH]),
    norm(`${layer}.ffn_norm`, WIDTH),
    weights(`${layer}.ffn_gate.weight`, [WIDTH, hidden]),
    weights(`${layer}.ffn_up.weight`, [WIDTH, hidden]),
    weights(`${layer}.ffn_down.weight`, [hidden, WIDTH]),
  ]);
}

/** Writes a Mamba: no layer has keys and values, each has a recurrent state. */
export function writeRecurrentModel(path: string): void {
  const [inner, convolution, state, rank] = [2 * WIDTH, 4, 64, 4];
  const entries = {
    context_length: uint32(8192),
    embedding_length: uint32(WIDTH),
    block_count: uint32(LAYERS),
    feed_forward_length: uint32(0),
    'attention.head_count': uint32(0),
    'attention.layer_norm_rms_epsilon': float32(1e-6),
    'ssm.conv_kernel': uint32(convolution),
    'ssm.inner_size': uint32(inner),
    'ssm.state_size': uint32(state),
    'ssm.time_step_rank': uint32(rank),
  };
  write(path, 'mamba', entries, (layer) => [
    norm(`${layer}.attn_norm`, WIDTH),
    weights(`${layer}.ssm_in.weight`, [WIDTH, 2 * inner]),
    weights(`${layer}.ssm_conv1d.weight`, [convolution, inner]),
    weights(`${layer}.ssm_conv1d.bias`, [inner]),
    weights(`${layer}.ssm_x.weight`, [inner, rank + 2 * state]),
    weights(`${layer}.ssm_dt.weight`, [rank, inner]),
    weights(`${layer}.ssm_dt.bias`, [inner]),
    weights(`${layer}.ssm_a`, [state, inner]),
    weights(`${layer}.ssm_d`, [inner]),
    weights(`${layer}.ssm_out.weight`, [inner, WIDTH]),
  ]);
}

function write(path: string, architecture: string, own: GgufEntries, layer: (prefix: string) => GgufTensor[]): void {
  const vocabulary = makeVocabulary();
  const entries: GgufEntries = {
    'general.architecture': text(architecture),
    'general.name': text(`Tiny ${architecture}`),
    'general.quantization_version': uint32(2),
    'general.file_type': uint32(0),
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`${architecture}.${key}`, value])),
    ...tokenizerEntries(vocabulary),
  };
  const layers = Array.from({ length: LAYERS }, (_, index) => layer(`blk.${index}`));
  const embedding = weights('token_embd.weight', [WIDTH, vocabulary.tokens.length]);
  writeChunks(path, ggufChunks(entries, [embedding, norm('output_norm', WIDTH), ...layers.flat()]));
}

function norm(name: string, length: number): GgufTensor {
  return float32Tensor(`${name}.weight`, [length], new Float32Array(length).fill(1));
}

function weights(name: string, shape: number[]): GgufTensor {
  const random = makeRandom(name.length);
  const length = shape.reduce((product, size) => product * size, 1);
  return float32Tensor(
    name,
    shape,
    Float32Array.from({ length }, () => WEIGHT * randomSign(random)),
  );
}
