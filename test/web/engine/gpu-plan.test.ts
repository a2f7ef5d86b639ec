import { describe, expect, it } from 'vitest';
import type { ModelShape } from '../../../src/engine/engine.ts';
import { type Card, planGpu, wishedBytes } from '../../../web/engine/gpu-plan.ts';

const GB = 1e9;
const GIB = 2 ** 30;

/** Qwen2.5's shape with 7B parameters in Q4_K: 4.7 GB, 28 layers. */
const large: ModelShape = {
  fileBytes: 4.7 * GB,
  layers: 28,
  cachedPerToken: 2 * 28 * 512,
  embeddingLength: 3584,
  feedForwardLength: 18_944,
  vocabularySize: 152_064,
  trainedContextLength: 32_768,
  poolsLast: false,
  tensors: {
    layers: Array.from({ length: 28 }, () => ({ experts: 0, rest: 0.14 * GB })),
    embedding: 0.3 * GB,
    output: 0.45 * GB,
    others: 0,
  },
};

function card(free: number, more: Partial<Card> = {}): Card {
  return {
    limits: { maxBufferSize: 4 * GIB, maxStorageBufferBindingSize: 2 * GIB },
    free,
    quantizedCache: true,
    streams: true,
    ...more,
  };
}

const chat = { kind: 'chat', shape: large } as const;

/** Returns a plan. Fails if there is none. */
function planned(...args: Parameters<typeof planGpu>) {
  const plan = planGpu(...args);
  if ('shortage' in plan) throw new Error(plan.shortage);
  return plan;
}

describe('the load of a model on a graphics card', () => {
  it.each([
    ['16k of half floats and all layers', 24, { contextLength: 16_384, layers: 29, quantized: false }],
    ['16k of 8 bits where half floats do not fit', 5.8, { contextLength: 16_384, layers: 29, quantized: true }],
    ['8k of 8 bits on a smaller card', 5.2, { contextLength: 8192, layers: 29, quantized: true }],
    ['all layers but one with a short window of 8 bits', 5, { contextLength: 4096, layers: 28, quantized: true }],
    ['half of the layers on a small card', 3, { contextLength: 4096, layers: 14, quantized: false }],
  ])('has %s', (_, free, { contextLength, layers, quantized }) => {
    expect(planned(chat, card(free * GB))).toMatchObject({
      contextLength,
      layers: { onCard: layers, all: 29 },
      quantizedCache: quantized,
      batchSize: 512,
    });
  });

  it('never plans more for the card than it has room for', () => {
    for (let free = 1; free < 12; free += 0.25) {
      const plan = planGpu(chat, card(free * GB));
      if (!('shortage' in plan)) expect(plan.memory.card).toBeLessThanOrEqual(free * GB);
    }
  });

  it('needs little of WebAssembly: files larger than its memory go to the card piece by piece', () => {
    const layers = Array.from({ length: 48 }, () => ({ experts: 0, rest: 0.4 * GB }));
    const huge = {
      ...large,
      fileBytes: 20 * GB,
      layers: 48,
      tensors: { layers, embedding: 0.3 * GB, output: 0.5 * GB, others: 0 },
    };
    const plan = planned({ kind: 'chat', shape: huge }, card(40 * GB));
    expect(plan.layers.onCard).toBe(49);
    expect(plan.memory.heap).toBeLessThan(1.5 * GB);
  });

  it('is impossible without stack switching where WebAssembly can not hold the files', () => {
    const small = { ...large, fileBytes: 2 * GB };
    expect(planGpu(chat, card(24 * GB, { streams: false }))).toHaveProperty('shortage');
    expect(planGpu({ kind: 'chat', shape: small }, card(24 * GB, { streams: false }))).toHaveProperty('layers');
  });

  it('is impossible where card and WebAssembly together have no room, and says what is missing', () => {
    const huge = {
      ...large,
      fileBytes: 20 * GB,
      tensors: {
        ...large.tensors,
        layers: Array.from({ length: 28 }, () => ({ experts: 0, rest: 0.7 * GB })),
        embedding: 0.3 * GB,
        output: 0.1 * GB,
        others: 0,
      },
    };
    expect(planGpu({ kind: 'chat', shape: huge }, card(6 * GB))).toEqual({
      shortage: expect.stringMatching(
        /^it takes 2\d\.\d GB; the graphics card has room for 6\.0 GB, and a browser gives WebAssembly no more than 4\.3 GB\. Take/,
      ),
    });
  });

  it('keeps a window that is asked for, and leaves layers on the processor instead', () => {
    const plan = planned({ ...chat, contextLength: 32_768 }, card(5.2 * GB));
    expect(plan.contextLength).toBe(32_768);
    expect(plan.layers.onCard).toBeLessThan(29);
  });

  it('has no longer window than the model was trained with', () => {
    const short = { ...large, trainedContextLength: 2048 };
    expect(planned({ kind: 'chat', shape: short }, card(24 * GB)).contextLength).toBe(2048);
  });

  it('keeps half floats where the card can not read a quantized cache', () => {
    const plan = planned(chat, card(5.2 * GB, { quantizedCache: false }));
    expect(plan).toMatchObject({ quantizedCache: false, contextLength: 4096 });
  });

  it.each([
    ['2 GiB', 2 * GIB, 512],
    ['256 MiB', GIB / 4, 256],
    ['128 MiB, the least that WebGPU allows', GIB / 8, 128],
  ])('has a batch whose logits a kernel can bind: %s', (_, maxStorageBufferBindingSize, batchSize) => {
    const limits = { maxBufferSize: 2 * GIB, maxStorageBufferBindingSize };
    expect(planned(chat, card(24 * GB, { limits })).batchSize).toBe(batchSize);
  });

  it('has a window whose keys a kernel can bind', () => {
    const limits = { maxBufferSize: GIB / 4, maxStorageBufferBindingSize: 8 * 2 ** 20 };
    const { contextLength } = planned(chat, card(24 * GB, { limits }));
    expect(contextLength * 512).toBeLessThanOrEqual(8 * 2 ** 20);
  });

  it('of an embedding model has the window of its texts, in one pass', () => {
    const plan = planned({ kind: 'embedding', shape: large }, card(24 * GB));
    expect(plan).toMatchObject({ contextLength: 2048, quantizedCache: false });
  });

  it('begins with the bytes of the whole model, for which the card is asked', () => {
    const wished = wishedBytes(chat);
    expect(wished).toBeGreaterThan(4.7 * GB);
    expect(planned(chat, card(wished))).toMatchObject({ contextLength: 16_384, quantizedCache: false });
  });
});
