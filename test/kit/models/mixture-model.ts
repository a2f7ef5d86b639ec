import { makeRandom } from '../random.ts';
import { float32, type GgufEntries, ggufChunks, text, uint32, writeChunks } from './gguf-writer.ts';
import { type MixtureShape, mixtureTensors } from './random-transformer.ts';
import { makeVocabulary, tokenizerEntries } from './vocabulary.ts';

/** A mixture of experts with the proportions of Qwen3 30B-A3B, some MB small. */
export const tinyMixture: MixtureShape = {
  width: 128,
  hidden: 384,
  layers: 4,
  heads: 4,
  keyHeads: 2,
  experts: 8,
  expertHidden: 64,
};

/** The experts that each token takes. */
const USED = 2;

/** Writes a Qwen3 mixture of experts with random weights in F32. Most of its bytes are those of the experts. */
export function writeMixtureModel(path: string, shape: MixtureShape = tinyMixture, seed = 1): void {
  const vocabulary = makeVocabulary();
  const own: GgufEntries = {
    context_length: uint32(4096),
    embedding_length: uint32(shape.width),
    block_count: uint32(shape.layers),
    feed_forward_length: uint32(shape.hidden),
    'attention.head_count': uint32(shape.heads),
    'attention.head_count_kv': uint32(shape.keyHeads),
    'attention.key_length': uint32(shape.width / shape.heads),
    'attention.value_length': uint32(shape.width / shape.heads),
    'attention.layer_norm_rms_epsilon': float32(1e-6),
    'rope.freq_base': float32(1_000_000),
    expert_count: uint32(shape.experts),
    expert_used_count: uint32(USED),
    expert_feed_forward_length: uint32(shape.expertHidden),
  };
  const entries: GgufEntries = {
    'general.architecture': text('qwen3moe'),
    'general.name': text('Mixture of experts'),
    'general.quantization_version': uint32(2),
    'general.file_type': uint32(0),
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`qwen3moe.${key}`, value])),
    ...tokenizerEntries(vocabulary),
  };
  writeChunks(path, ggufChunks(entries, mixtureTensors(shape, vocabulary.tokens.length, makeRandom(seed))));
}
