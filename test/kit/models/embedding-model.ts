import { makeRandom } from '../random.ts';
import {
  flag,
  float32,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  text,
  texts,
  uint32,
  writeChunks,
} from './gguf-writer.ts';
import { encoderTensors, headTensors, type TransformerShape, transformerTensors } from './random-transformer.ts';
import { makeVocabulary, tokenizerEntries } from './vocabulary.ts';

export interface EmbeddingModelOptions {
  /** Models with different seeds make different vectors. Default 1. */
  seed?: number;
  /** Length of the vectors. It must be a multiple of 16. Default 64. */
  dimensions?: number;
  /** The pooling: a text's vector is the mean of its tokens' vectors, or the last one. Default `mean`. */
  pooling?: 'mean' | 'last';
}

export interface RerankModelOptions {
  seed?: number;
  /** Qwen3's head gives the probability of "yes", BERT's gives any number. Default `qwen3`. */
  architecture?: 'qwen3' | 'bert';
  /** A template with `{query}` and `{document}`. Without one, the tokenizer's flags decide how both are joined. */
  template?: string;
  /** True if the header asks for a separator between query and document. Default false. */
  separator?: boolean;
}

/** llama.cpp's numbers of the pooling types. */
const POOLING = { mean: 1, last: 3, rank: 4 };

const CONTEXT_LENGTH = 512;
const RANKING_WIDTH = 64;

/**
 * Writes a tiny Qwen2 model that turns texts into vectors. Equal texts have equal vectors, and similar texts have
 * similar vectors.
 */
export function writeEmbeddingModel(path: string, options: EmbeddingModelOptions = {}): void {
  const { seed = 1, dimensions = 64, pooling = 'mean' } = options;
  const shape = shapeOf(dimensions);
  const vocabulary = makeVocabulary();
  const entries = {
    ...architectureEntries('qwen2', 'Tiny embedding model', shape),
    'qwen2.pooling_type': uint32(POOLING[pooling]),
    ...tokenizerEntries(vocabulary),
    'tokenizer.ggml.add_eos_token': flag(true),
  };
  write(path, entries, transformerTensors('qwen2', shape, vocabulary.tokens.length, makeRandom(seed)));
}

/** Writes a tiny model that ranks documents. Its scores mean nothing, but they vary and depend on both texts. */
export function writeRerankModel(path: string, options: RerankModelOptions = {}): void {
  const { seed = 1, architecture = 'qwen3', template, separator = false } = options;
  const shape = shapeOf(RANKING_WIDTH);
  const vocabulary = makeVocabulary();
  const size = vocabulary.tokens.length;
  const random = makeRandom(seed);
  const entries = {
    ...architectureEntries(architecture, 'Tiny ranking model', shape),
    [`${architecture}.pooling_type`]: uint32(POOLING.rank),
    ...(architecture === 'qwen3'
      ? { 'qwen3.classifier.output_labels': texts(['yes', 'no']) }
      : { 'bert.attention.causal': flag(false), 'tokenizer.ggml.token_type_count': uint32(1) }),
    ...tokenizerEntries(vocabulary),
    'tokenizer.ggml.add_bos_token': flag(true),
    'tokenizer.ggml.add_eos_token': flag(true),
    ...(template !== undefined && { 'tokenizer.chat_template.rerank': text(template) }),
    ...(separator && {
      // GGUF spells the key this way.
      'tokenizer.ggml.seperator_token_id': uint32(vocabulary.tokens.lastIndexOf('<|im_start|>')),
      'tokenizer.ggml.add_sep_token': flag(true),
    }),
  };
  const tensors =
    architecture === 'qwen3'
      ? transformerTensors('qwen3', shape, size, random)
      : encoderTensors(shape, size, CONTEXT_LENGTH, random);
  write(path, entries, [...tensors, ...headTensors(architecture, shape, random)]);
}

function shapeOf(width: number): TransformerShape {
  return { width, hidden: 2 * width, layers: 2, heads: 4 };
}

function architectureEntries(architecture: string, name: string, shape: TransformerShape): GgufEntries {
  const own = (entries: GgufEntries) =>
    Object.fromEntries(Object.entries(entries).map(([key, value]) => [`${architecture}.${key}`, value]));
  return {
    'general.architecture': text(architecture),
    'general.name': text(name),
    'general.quantization_version': uint32(2),
    'general.file_type': uint32(0),
    ...own({
      context_length: uint32(CONTEXT_LENGTH),
      embedding_length: uint32(shape.width),
      block_count: uint32(shape.layers),
      feed_forward_length: uint32(shape.hidden),
      'attention.head_count': uint32(shape.heads),
      'attention.head_count_kv': uint32(shape.heads),
      'attention.layer_norm_rms_epsilon': float32(1e-6),
      'attention.layer_norm_epsilon': float32(1e-6),
    }),
  };
}

function write(path: string, entries: GgufEntries, tensors: GgufTensor[]): void {
  writeChunks(path, ggufChunks(entries, tensors));
}
