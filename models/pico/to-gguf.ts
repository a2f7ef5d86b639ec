import {
  flag,
  float32,
  float32Tensor,
  type GgufEntries,
  type GgufTensor,
  int32s,
  text,
  texts,
  uint32,
} from '../../test/kit/models/gguf-writer.ts';
import { quantize } from './quantize.ts';
import { CONTROL_TOKENS, MARKS, type Vocabulary } from './tokenizer.ts';
import { findMatrix, type Matrix, type ModelConfig, rowsOf, type Weights } from './weights.ts';

const CONTEXT_LENGTH = 1024;
/** The token types of llama.cpp. */
const NORMAL = 1;
const CONTROL = 3;
const USER_DEFINED = 4;
/** llama.cpp's `MOSTLY_Q8_0`. */
const FILE_TYPE = 7;

/** Returns the metadata and the tensors of pico.gguf. Matrices become Q8_0, vectors stay float32. */
export function toGguf(
  weights: Weights,
  vocabulary: Vocabulary,
  chatTemplate: string,
): { entries: GgufEntries; tensors: GgufTensor[] } {
  const entries = { ...description(), ...architecture(weights.config), ...tokenizer(vocabulary, chatTemplate) };
  return { entries, tensors: tensors(weights) };
}

function description(): GgufEntries {
  return {
    'general.architecture': text('llama'),
    'general.name': text('Pico'),
    'general.author': text('Paddock'),
    'general.organization': text('Paddock'),
    'general.version': text('1.0'),
    'general.license': text('mit'),
    'general.description': text(
      'A tiny chat model that Paddock trained on text of its own making. It knows Paddock and itself, and little else.',
    ),
    'general.languages': texts(['en']),
    'general.tags': texts(['chat', 'tools', 'tiny']),
    'general.file_type': uint32(FILE_TYPE),
    'general.quantization_version': uint32(2),
  };
}

function architecture(config: ModelConfig): GgufEntries {
  return {
    'llama.context_length': uint32(CONTEXT_LENGTH),
    'llama.embedding_length': uint32(config.width),
    'llama.block_count': uint32(config.layers),
    'llama.feed_forward_length': uint32(config.hidden),
    'llama.attention.head_count': uint32(config.heads),
    'llama.attention.head_count_kv': uint32(config.heads),
    'llama.attention.layer_norm_rms_epsilon': float32(config.epsilon),
    'llama.rope.freq_base': float32(config.frequencyBase),
    'llama.rope.dimension_count': uint32(config.width / config.heads),
    'llama.vocab_size': uint32(config.vocabulary),
  };
}

function tokenizer({ tokens, merges }: Vocabulary, chatTemplate: string): GgufEntries {
  const kind = (token: string) =>
    CONTROL_TOKENS.includes(token) ? CONTROL : MARKS.includes(token) ? USER_DEFINED : NORMAL;
  const id = (token: string) => uint32(tokens.indexOf(token));
  return {
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('gpt-2'),
    'tokenizer.ggml.tokens': texts(tokens),
    'tokenizer.ggml.token_type': int32s(tokens.map(kind)),
    'tokenizer.ggml.merges': texts(merges.map((pair) => pair.join(' '))),
    'tokenizer.ggml.bos_token_id': id('<|endoftext|>'),
    'tokenizer.ggml.eos_token_id': id('<|im_end|>'),
    'tokenizer.ggml.padding_token_id': id('<|endoftext|>'),
    'tokenizer.ggml.add_bos_token': flag(false),
    'tokenizer.chat_template': text(chatTemplate),
  };
}

/** Splits the matrices that training stores together, because GGUF has a tensor for each. */
function tensors(weights: Weights): GgufTensor[] {
  const { width, hidden, layers } = weights.config;
  const whole = (name: string) => tensor(name, findMatrix(weights, name));
  const rows = (name: string, from: string, start: number, count: number) =>
    tensor(name, rowsOf(findMatrix(weights, from), start, count));
  return [
    whole('token_embd.weight'),
    ...Array.from({ length: layers }, (_, layer) => {
      const at = (name: string) => `blk.${layer}.${name}.weight`;
      return [
        whole(at('attn_norm')),
        rows(at('attn_q'), at('attn_qkv'), 0, width),
        rows(at('attn_k'), at('attn_qkv'), width, width),
        rows(at('attn_v'), at('attn_qkv'), 2 * width, width),
        whole(at('attn_output')),
        whole(at('ffn_norm')),
        rows(at('ffn_gate'), at('ffn_gate_up'), 0, hidden),
        rows(at('ffn_up'), at('ffn_gate_up'), hidden, hidden),
        whole(at('ffn_down')),
      ];
    }).flat(),
    whole('output_norm.weight'),
  ];
}

/** GGUF lists the dimensions in reverse order: the columns first. */
function tensor(name: string, { shape, values }: Matrix): GgufTensor {
  const dimensions = [...shape].reverse();
  if (shape.length === 1) return float32Tensor(name, dimensions, values);
  return { name, type: 'Q8_0', shape: dimensions, chunks: () => [quantize(values)] };
}
