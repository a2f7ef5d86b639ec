import { makeRandom } from '../random.ts';
import { chatTemplate } from './chat-template.ts';
import { float32, ggufChunks, text, uint32, writeChunks } from './gguf-writer.ts';
import { transformerTensors } from './random-transformer.ts';
import { scoredVocabulary } from './vocabulary-kinds.ts';

const SHAPE = { width: 32, hidden: 32, layers: 1, heads: 2 };

/**
 * Writes a tiny Qwen2 model with a vocabulary like that of Llama 2, where words begin with `▁`. Its replies are random,
 * but a logit bias makes it write a word. It supports infill. Returns the token ids by their spellings.
 */
export function writeScoredModel(path: string): ReadonlyMap<string, number> {
  const { entries, ids } = scoredVocabulary();
  const idOf = (token: string) => uint32(ids.get(token) ?? -1);
  const header = {
    ...entries,
    'general.architecture': text('qwen2'),
    'general.name': text('Tiny model with scores'),
    'qwen2.context_length': uint32(512),
    'qwen2.embedding_length': uint32(SHAPE.width),
    'qwen2.block_count': uint32(SHAPE.layers),
    'qwen2.feed_forward_length': uint32(SHAPE.hidden),
    'qwen2.attention.head_count': uint32(SHAPE.heads),
    'qwen2.attention.layer_norm_rms_epsilon': float32(1e-6),
    'tokenizer.ggml.fim_pre_token_id': idOf('<tool>'),
    'tokenizer.ggml.fim_suf_token_id': idOf('<tool>>'),
    'tokenizer.ggml.fim_mid_token_id': idOf('<|im_start|>'),
    'tokenizer.chat_template': text(chatTemplate),
  };
  writeChunks(path, ggufChunks(header, transformerTensors('qwen2', SHAPE, ids.size, makeRandom(1))));
  return ids;
}
