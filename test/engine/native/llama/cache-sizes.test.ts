import { describe, expect, it } from 'vitest';
import type { EngineOptions } from '../../../../src/engine/engine.ts';
import { planCache } from '../../../../src/engine/native/llama/cache-sizes.ts';
import type { LlamaModel } from '../../../../src/engine/native/llama/model.ts';

const OPTIONS: EngineOptions = {
  files: [],
  kind: 'chat',
  contextLength: 8192,
  slots: 2,
  mostSlots: 16,
  threads: 1,
  batchSize: 64,
};

/** Plans the cache of a model with Paddock's kernels on a CPU, or of one that differs from it. */
function plan(options: Partial<EngineOptions> = {}, model: { rewinds?: boolean; gpuLayers?: number } = {}) {
  const common = { rewinds: true, gpuLayers: 0, trainedContextLength: 8192, architecture: () => undefined };
  const library = { kernels: { instructions: 'AVX2' } };
  return planCache({ ...common, library, ...model } as unknown as LlamaModel, { ...OPTIONS, ...options });
}

describe('the cache of a model on the CPU', () => {
  it('is one for all sequences, of which there are more than whole windows', () => {
    expect(plan()).toMatchObject({ unified: true, sequences: 8, contextLength: 8192, largest: 2 * 8192 });
    expect(plan({ slots: 4 })).toMatchObject({ unified: true, sequences: 16, largest: 4 * 8192 });
  });

  it.each<[string, ReturnType<typeof plan>]>([
    ['a quantized cache', plan({ kvType: 'q8_0' })],
    ['attention without flash attention', plan({ flashAttention: false })],
    ['sums of one order', plan({ oneByOne: true })],
    ['a recurrent state', plan({}, { rewinds: false })],
    ['layers on a GPU, which computes the attention to the cells of all sequences', plan({}, { gpuLayers: 1 })],
  ])('is one for each sequence with %s', (_, sizes) => {
    expect(sizes).toMatchObject({ unified: false, sequences: 2, contextLength: 8192, largest: 8192 });
  });
});
