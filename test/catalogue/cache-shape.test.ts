import { describe, expect, it } from 'vitest';
import { readCacheShape } from '../../src/catalogue/cache-shape.ts';
import type { ModelShape } from '../../src/engine/engine.ts';
import { estimateMemory } from '../../src/engine/memory-estimate.ts';
import { createFields, type GgufValue } from '../../src/gguf/fields.ts';

const GIB = 2 ** 30;

/** Returns the cache of one slot, in GiB, of a model with these fields of its header. */
function cacheOf(architecture: string, values: Record<string, GgufValue>, contextLength = 32_768): number {
  const fields = new Map(Object.entries(values).map(([name, value]) => [`${architecture}.${name}`, value]));
  const shape: ModelShape = {
    fileBytes: 0,
    layers: Number(values.block_count),
    embeddingLength: 0,
    feedForwardLength: 0,
    vocabularySize: 0,
    trainedContextLength: contextLength,
    poolsLast: false,
    ...readCacheShape(architecture, createFields(fields)),
  };
  const plan = { backend: 'cpu', kind: 'chat', contextLength, slots: 1, threads: 1, batchSize: 512 } as const;
  return estimateMemory(shape, plan).cache / GIB;
}

const heads = (query: number, cached: number | number[], length: number) => ({
  'attention.head_count': query,
  'attention.head_count_kv': cached,
  'attention.key_length': length,
  'attention.value_length': length,
});

/** The figures of real headers, and the size by llama.cpp's own formula. */
const MODELS: [name: string, architecture: string, values: Record<string, GgufValue>, gib: number][] = [
  ['Llama 3.1 8B', 'llama', { block_count: 32, embedding_length: 4096, ...heads(32, 8, 128) }, 4],
  [
    'Gemma 3 27B',
    'gemma3',
    { block_count: 62, embedding_length: 5376, ...heads(32, 16, 128), 'attention.sliding_window': 1024 },
    3.109,
  ],
  [
    'gpt-oss-20b',
    'gpt-oss',
    { block_count: 24, embedding_length: 2880, ...heads(64, 8, 64), 'attention.sliding_window': 128 },
    0.765,
  ],
  [
    'Qwen3.5-35B-A3B',
    'qwen35moe',
    {
      block_count: 40,
      embedding_length: 2048,
      ...heads(16, 2, 256),
      full_attention_interval: 4,
      'ssm.conv_kernel': 4,
      'ssm.state_size': 128,
      'ssm.group_count': 16,
      'ssm.inner_size': 4096,
    },
    0.686,
  ],
  [
    'DeepSeek V3',
    'deepseek2',
    {
      block_count: 61,
      embedding_length: 7168,
      ...heads(128, 1, 576),
      'attention.value_length': 512,
      'attention.key_length_mla': 192,
      'attention.value_length_mla': 128,
    },
    2.145,
  ],
  [
    'Mamba2 7B',
    'mamba2',
    {
      block_count: 64,
      embedding_length: 4096,
      'ssm.conv_kernel': 4,
      'ssm.inner_size': 8192,
      'ssm.state_size': 128,
      'ssm.group_count': 8,
    },
    0.257,
  ],
  ['RWKV7 7B', 'rwkv7', { block_count: 32, embedding_length: 4096, 'wkv.head_size': 64, token_shift_count: 2 }, 0.0322],
  [
    'LFM2 1.2B',
    'lfm2',
    {
      block_count: 16,
      embedding_length: 2048,
      'attention.head_count': 32,
      'attention.head_count_kv': [0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 8, 0, 8, 0, 8, 0],
      'shortconv.l_cache': 3,
    },
    0.375,
  ],
  [
    'Gemma 4 with shared layers',
    'gemma4',
    {
      block_count: 4,
      embedding_length: 2048,
      ...heads(8, 2, 512),
      'attention.key_length_swa': 256,
      'attention.value_length_swa': 256,
      'attention.sliding_window': 512,
      'attention.sliding_window_pattern': [true, true, false, true],
      'attention.shared_kv_layers': 1,
    },
    0.129,
  ],
];

describe('the cache that a header asks for', () => {
  it.each(MODELS)('is that of %s', (_, architecture, values, gib) => {
    expect(cacheOf(architecture, values)).toBeCloseTo(gib, 2);
  });

  it('is of one size for a recurrent model, however long the window', () => {
    const values = { block_count: 4, embedding_length: 64, 'wkv.head_size': 8 };
    expect(cacheOf('rwkv7', values, 256)).toBe(cacheOf('rwkv7', values, 1_000_000));
  });

  it('grows with the window as long as that is shorter than the sliding window', () => {
    const values = { block_count: 6, embedding_length: 64, ...heads(4, 4, 16), 'attention.sliding_window': 4096 };
    expect(cacheOf('gemma3', values, 2048) / cacheOf('gemma3', values, 1024)).toBe(2);
    expect(cacheOf('gemma3', values, 65_536) / cacheOf('gemma3', values, 32_768)).toBeLessThan(2);
  });

  it('takes no window for an architecture without one, whatever its header says', () => {
    const values = { block_count: 32, embedding_length: 4096, ...heads(32, 8, 128), 'attention.sliding_window': 1024 };
    expect(cacheOf('llama', values)).toBeCloseTo(4, 3);
    expect(cacheOf('phi3', values)).toBeCloseTo(4, 3);
  });

  it('takes no time for a header that claims any number of layers', () => {
    expect(cacheOf('llama', { block_count: 1e15, ...heads(1, 1, 1) }, 256)).toBeGreaterThan(0);
  });
});
