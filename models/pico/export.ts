import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  flag,
  float32,
  float32Tensor,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  int32s,
  text,
  texts,
  uint32,
  writeChunks,
} from '../../test/fixtures/gguf-writer.ts';
import { quantize } from './quantize.ts';
import { CONTROL_TOKENS, MARKS, type Vocabulary } from './tokenizer.ts';

// Makes pico.gguf of what train.py wrote: `node export.js [--weights FILE] [--out FILE]`.

interface Header {
  config: {
    width: number;
    hidden: number;
    layers: number;
    heads: number;
    vocabulary: number;
    frequencyBase: number;
    epsilon: number;
  };
  tensors: { name: string; shape: number[] }[];
}

interface Matrix {
  /** Rows by columns, or just the length of a vector. */
  shape: number[];
  values: Float32Array;
}

const CONTEXT_LENGTH = 1024;
/** llama.cpp's numbers for kinds of tokens. */
const NORMAL = 1;
const CONTROL = 3;
const USER_DEFINED = 4;
/** llama.cpp's `MOSTLY_Q8_0`. */
const FILE_TYPE = 7;

const { values: options } = parseArgs({
  options: {
    weights: { type: 'string', default: '.cache/pico/pico.weights' },
    vocabulary: { type: 'string', default: '.cache/pico/vocabulary.json' },
    out: { type: 'string', default: 'models/pico/pico.gguf' },
  },
});

const vocabulary = JSON.parse(readFileSync(options.vocabulary, 'utf8')) as Vocabulary;
const { config, matrices } = readWeights(options.weights);
const template = readFileSync('models/pico/chat-template.jinja', 'utf8').trim();
writeChunks(options.out, ggufChunks({ ...description(), ...architecture(), ...tokenizer() }, tensors()));

function readWeights(path: string): { config: Header['config']; matrices: Map<string, Matrix> } {
  const file = readFileSync(path);
  const length = file.readUInt32LE(0);
  const header = JSON.parse(file.toString('utf8', 4, 4 + length)) as Header;
  let at = 4 + length;
  const matrices = new Map<string, Matrix>();
  for (const { name, shape } of header.tensors) {
    const count = shape.reduce((product, size) => product * size, 1);
    matrices.set(name, {
      shape,
      values: new Float32Array(file.buffer.slice(file.byteOffset + at, file.byteOffset + at + 4 * count)),
    });
    at += 4 * count;
  }
  return { config: header.config, matrices };
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

function architecture(): GgufEntries {
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

function tokenizer(): GgufEntries {
  const { tokens, merges } = vocabulary;
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
    'tokenizer.chat_template': text(template),
  };
}

function tensors(): GgufTensor[] {
  const { width, hidden, layers } = config;
  const whole = (name: string) => tensor(name, find(name));
  const rows = (name: string, from: string, start: number, count: number) =>
    tensor(name, part(find(from), start, count));
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

function find(name: string): Matrix {
  const matrix = matrices.get(name);
  if (!matrix) throw new Error(`${options.weights} has no ${name}`);
  return matrix;
}

function part({ shape: [, columns = 1], values }: Matrix, start: number, count: number): Matrix {
  return { shape: [count, columns], values: values.subarray(start * columns, (start + count) * columns) };
}

/** Matrices in Q8_0, vectors as they are. GGUF names the dimensions from the inside out. */
function tensor(name: string, { shape, values }: Matrix): GgufTensor {
  const dimensions = [...shape].reverse();
  if (shape.length === 1) return float32Tensor(name, dimensions, values);
  return { name, type: 'Q8_0', shape: dimensions, chunks: () => [quantize(values)] };
}
