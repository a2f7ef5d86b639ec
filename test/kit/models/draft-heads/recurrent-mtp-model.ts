import { makeRandom } from '../../random.ts';
import {
  float32,
  float32Tensor,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  int32s,
  text,
  uint32,
  writeChunks,
} from '../gguf-writer.ts';
import { matrix, ones, vector } from '../random-transformer.ts';
import { makeVocabulary, tokenizerEntries } from '../vocabulary.ts';

// A tiny Qwen3.5 with random weights: three layers with a recurrent state, one that attends, and an MTP layer. Of each four layers,
// the last one attends.

const WIDTH = 64;
const HIDDEN = 128;
const LAYERS = 4;
const HEADS = 2;
/** The length of a head in layers that attend. */
const HEAD = 32;
/** The recurrent state: heads of keys and of values, and their length. */
const [KEY_HEADS, VALUE_HEADS, STATE] = [2, 4, 16];
const CONVOLUTION = 4;

/** Writes the model. Its guesses are mostly wrong, but for samplings that leave few tokens. */
export function writeRecurrentMtpModel(path: string, seed = 1): void {
  const vocabulary = makeVocabulary();
  const own: GgufEntries = {
    context_length: uint32(1024),
    embedding_length: uint32(WIDTH),
    block_count: uint32(LAYERS + 1),
    nextn_predict_layers: uint32(1),
    feed_forward_length: uint32(HIDDEN),
    full_attention_interval: uint32(LAYERS),
    'attention.head_count': uint32(HEADS),
    'attention.head_count_kv': uint32(1),
    'attention.key_length': uint32(HEAD),
    'attention.value_length': uint32(HEAD),
    'attention.layer_norm_rms_epsilon': float32(1e-6),
    'rope.freq_base': float32(10_000),
    'rope.dimension_sections': int32s([6, 6, 4, 0]),
    'ssm.conv_kernel': uint32(CONVOLUTION),
    'ssm.inner_size': uint32(VALUE_HEADS * STATE),
    'ssm.state_size': uint32(STATE),
    'ssm.time_step_rank': uint32(VALUE_HEADS),
    'ssm.group_count': uint32(KEY_HEADS),
  };
  const entries: GgufEntries = {
    'general.architecture': text('qwen35'),
    'general.name': text('Tiny Qwen3.5 with an MTP layer'),
    'general.quantization_version': uint32(2),
    'general.file_type': uint32(0),
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`qwen35.${key}`, value])),
    ...tokenizerEntries(vocabulary),
  };
  const random = makeRandom(seed);
  const all = (layer: number) => `blk.${layer}`;
  const network = (layer: number): GgufTensor[] => [
    ones(`${all(layer)}.attn_norm.weight`, WIDTH),
    ones(`${all(layer)}.post_attention_norm.weight`, WIDTH),
    matrix(`${all(layer)}.ffn_gate.weight`, WIDTH, HIDDEN, random),
    matrix(`${all(layer)}.ffn_up.weight`, WIDTH, HIDDEN, random),
    matrix(`${all(layer)}.ffn_down.weight`, HIDDEN, WIDTH, random),
  ];
  const attention = (layer: number): GgufTensor[] => [
    // Each head has queries and a gate.
    matrix(`${all(layer)}.attn_q.weight`, WIDTH, 2 * HEADS * HEAD, random),
    matrix(`${all(layer)}.attn_k.weight`, WIDTH, HEAD, random),
    matrix(`${all(layer)}.attn_v.weight`, WIDTH, HEAD, random),
    matrix(`${all(layer)}.attn_output.weight`, HEADS * HEAD, WIDTH, random),
    ones(`${all(layer)}.attn_q_norm.weight`, HEAD),
    ones(`${all(layer)}.attn_k_norm.weight`, HEAD),
  ];
  const recurrent = (layer: number): GgufTensor[] => {
    const values = VALUE_HEADS * STATE;
    const mixed = 2 * KEY_HEADS * STATE + values;
    return [
      matrix(`${all(layer)}.attn_qkv.weight`, WIDTH, mixed, random),
      matrix(`${all(layer)}.attn_gate.weight`, WIDTH, values, random),
      matrix(`${all(layer)}.ssm_conv1d.weight`, CONVOLUTION, mixed, random),
      vector(`${all(layer)}.ssm_dt.bias`, VALUE_HEADS, random),
      float32Tensor(`${all(layer)}.ssm_a`, [VALUE_HEADS], new Float32Array(VALUE_HEADS).fill(-1)),
      matrix(`${all(layer)}.ssm_beta.weight`, WIDTH, VALUE_HEADS, random),
      matrix(`${all(layer)}.ssm_alpha.weight`, WIDTH, VALUE_HEADS, random),
      ones(`${all(layer)}.ssm_norm.weight`, STATE),
      matrix(`${all(layer)}.ssm_out.weight`, values, WIDTH, random),
    ];
  };
  const layers = Array.from({ length: LAYERS }, (_, layer) => [
    ...network(layer),
    ...(layer === LAYERS - 1 ? attention(layer) : recurrent(layer)),
  ]);
  const mtp = [
    ...network(LAYERS),
    ...attention(LAYERS),
    ones(`${all(LAYERS)}.nextn.enorm.weight`, WIDTH),
    ones(`${all(LAYERS)}.nextn.hnorm.weight`, WIDTH),
    matrix(`${all(LAYERS)}.nextn.eh_proj.weight`, 2 * WIDTH, WIDTH, random),
  ];
  const size = vocabulary.tokens.length;
  const ends = [
    ones('output_norm.weight', WIDTH),
    matrix('token_embd.weight', WIDTH, size, random),
    matrix('output.weight', WIDTH, size, random),
  ];
  writeChunks(path, ggufChunks(entries, [...layers.flat(), ...mtp, ...ends]));
}
