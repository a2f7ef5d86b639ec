import { describe, expect, it } from 'vitest';
import type { ModelShape } from '../../src/engine/engine.ts';
import { earlierStates, estimateMemory, type MemoryPlan, partSizes } from '../../src/engine/memory-estimate.ts';

const MIB = 2 ** 20;

/** The `half-billion` model of test/kit/models: Qwen2 0.5B's figures, in Q8_0. */
const halfBillion: ModelShape = {
  fileBytes: 527_873_248,
  layers: 24,
  cachedPerToken: 24 * 2 * 128,
  embeddingLength: 896,
  feedForwardLength: 4864,
  vocabularySize: 151_936,
  trainedContextLength: 32_768,
  poolsLast: false,
};
/** The same with a vocabulary of 20,000 tokens. */
const smallVocabulary = { ...halfBillion, fileBytes: 399_895_328, vocabularySize: 20_000 };
/** The same in F32. */
const unpacked = { ...smallVocabulary, fileBytes: 1_503_650_848 };
/** The same as `halfBillion` in F16. */
const halfFloats = { ...halfBillion, fileBytes: 990_961_888 };

function plan(more: Partial<MemoryPlan> = {}): MemoryPlan {
  return { backend: 'cpu', kind: 'chat', contextLength: 4096, slots: 1, threads: 1, batchSize: 512, ...more };
}

const totalMib = (shape: ModelShape, more: Partial<MemoryPlan>) => estimateMemory(shape, plan(more)).total / MIB;

describe('the estimate of memory', () => {
  // The measured growth of the process in MiB after a long prompt, by benchmarks/memory-estimates.ts. Mapped files are
  // left out if the CPU has copies of the weights in a layout of its own.
  it.each([
    ['cpu: Q8_0, 1 x 512', 'cpu', halfBillion, { contextLength: 512, slots: 1, batchSize: 64 }, 716],
    ['cpu: Q8_0, 4 x 8192', 'cpu', halfBillion, { contextLength: 8192, slots: 4, batchSize: 512 }, 1117],
    ['cpu: Q8_0, 8 x 2048', 'cpu', halfBillion, { contextLength: 2048, slots: 8, batchSize: 512 }, 937],
    [
      'cpu: Q8_0, small vocabulary, 4 x 2048',
      'cpu',
      smallVocabulary,
      { contextLength: 2048, slots: 4, batchSize: 512 },
      634,
    ],
    ['cpu: F16, 1 x 512', 'cpu', halfFloats, { contextLength: 512, slots: 1, batchSize: 64 }, 1096],
    ['cpu: F16, 4 x 8192', 'cpu', halfFloats, { contextLength: 8192, slots: 4, batchSize: 512 }, 1512],
    ['cpu: F32, 1 x 512', 'cpu', unpacked, { contextLength: 512, slots: 1, batchSize: 64 }, 1527],
    ['cpu: F32, 4 x 8192', 'cpu', unpacked, { contextLength: 8192, slots: 4, batchSize: 512 }, 1913],
    ['wasm: Q8_0, 1 x 512', 'wasm', halfBillion, { contextLength: 512, slots: 1, batchSize: 512 }, 1113],
    ['wasm: Q8_0, 1 x 4096', 'wasm', halfBillion, { contextLength: 4096, slots: 1, batchSize: 512 }, 1116],
    [
      'wasm: Q8_0, small vocabulary, 1 x 2048',
      'wasm',
      smallVocabulary,
      { contextLength: 2048, slots: 1, batchSize: 512 },
      980,
    ],
    ['wasm: F16, 1 x 512', 'wasm', halfFloats, { contextLength: 512, slots: 1, batchSize: 512 }, 1500],
  ] as const)('is within 15% of what was measured (%s)', (_, backend, shape, figures, measured) => {
    const error = totalMib(shape, { backend, ...figures }) / measured - 1;
    expect(Math.abs(error)).toBeLessThan(0.15);
  });

  it('counts a half float for each key and value of each token of each slot', () => {
    const { cache } = estimateMemory(halfBillion, plan({ contextLength: 2048, slots: 4 }));
    expect(cache / MIB).toBe(96);
  });

  it('rounds the context up as llama.cpp does', () => {
    const short = estimateMemory(halfBillion, plan({ contextLength: 257 }));
    expect(short).toEqual(estimateMemory(halfBillion, plan({ contextLength: 512 })));
  });

  it('covers all threads together, each of which holds the model', () => {
    const one = estimateMemory(halfBillion, plan({ backend: 'wasm' }));
    const three = estimateMemory(halfBillion, plan({ backend: 'wasm', threads: 3 }));
    expect(three.total).toBe(3 * one.total);
    expect(three.weights).toBe(3 * one.weights);
  });

  it('does not grow with the batch on WebAssembly, which is small there', () => {
    const batches = [64, 512, 4096].map((batchSize) => totalMib(halfBillion, { backend: 'wasm', batchSize }));
    expect(new Set(batches).size).toBe(1);
    expect(totalMib(halfBillion, { batchSize: 4096 })).toBeGreaterThan(totalMib(halfBillion, { batchSize: 512 }));
  });

  it('counts the logits of 16 tokens of each slot on a GPU, at most of a batch, and none for an embedding model', () => {
    const logits = (151_936 * 4) / MIB;
    const more = (sizes: Partial<MemoryPlan>) =>
      (estimateMemory(halfBillion, plan({ ...sizes, backend: 'gpu' })).compute -
        estimateMemory(halfBillion, plan(sizes)).compute) /
      MIB;
    expect(more({ slots: 1 })).toBeCloseTo(15 * logits, 1);
    expect(more({ slots: 16 })).toBeCloseTo(16 * 15 * logits, 1);
    expect(more({ slots: 16, batchSize: 64 })).toBeCloseTo(16 * 3 * logits, 1);
    const cpu = estimateMemory(halfBillion, plan()).compute / MIB;
    const vectors = estimateMemory(halfBillion, plan({ kind: 'embedding', contextLength: 512 })).compute / MIB;
    expect(vectors).toBeLessThan(cpu);
  });

  it('lets an embedding model read a text as a whole, unless it can read in batches', () => {
    const compute = (poolsLast: boolean, backend: 'cpu' | 'wasm') =>
      estimateMemory({ ...halfBillion, poolsLast }, plan({ kind: 'embedding', contextLength: 8192, backend })).compute;
    expect(compute(true, 'cpu')).toBeLessThan(compute(false, 'cpu') / 4);
    expect(compute(true, 'wasm')).toBe(compute(false, 'wasm'));
  });

  it('is the sum of its parts', () => {
    const { weights, cache, compute, total } = estimateMemory(halfBillion, plan());
    expect(total).toBe(weights + cache + compute);
    expect(weights).toBeGreaterThan(halfBillion.fileBytes);
  });
});

describe('the earlier states of a recurrent model', () => {
  const state = (bytes: number, more: Partial<ModelShape> = {}) => ({
    ...halfBillion,
    fileBytes: 800 * MIB,
    stateNumbers: bytes / 4,
    keepsStates: true,
    ...more,
  });

  it.each([
    ['as many as the longest guess where they are small', state(0.1 * MIB), 16, 15],
    ['as many as an eighth of the weights holds', state(10 * MIB), 4, 2],
    ['more with fewer slots', state(10 * MIB), 1, 10],
    ['none where one is too large', state(10 * MIB), 16, 0],
    ['none where llama.cpp keeps none', state(0.1 * MIB, { keepsStates: false }), 16, 0],
    ['none without a recurrent state', halfBillion, 16, 0],
  ])('are %s', (_, shape, slots, count) => {
    expect(earlierStates(shape, slots)).toBe(count);
  });

  it('are part of the cache, but not with WebAssembly, which keeps none', () => {
    const cacheOf = (backend: 'cpu' | 'wasm') =>
      estimateMemory(state(10 * MIB, { cachedPerToken: 0 }), plan({ backend, slots: 4 })).cache / MIB;
    expect(cacheOf('cpu')).toBe(4 * 3 * 10);
    expect(cacheOf('wasm')).toBe(4 * 10);
  });
});

describe('the estimate for a model with a draft model', () => {
  const draft = { ...smallVocabulary, fileBytes: 100 * MIB, cachedPerToken: 1000, trainedContextLength: 1024 };

  it('has its weights, and one slot of its own window', () => {
    const [alone, both] = [halfBillion, { ...halfBillion, draft }].map((shape) =>
      estimateMemory(shape, plan({ contextLength: 4096, slots: 8 })),
    );
    expect((both?.weights ?? 0) - (alone?.weights ?? 0)).toBe(draft.fileBytes + 20_000 * 600);
    expect((both?.cache ?? 0) - (alone?.cache ?? 0)).toBe(1024 * 1000 * 2);
    expect(both?.compute).toBeGreaterThan(alone?.compute ?? 0);
  });

  it('is that of the model alone on WebAssembly, which does not load it', () => {
    const wasm = { backend: 'wasm', contextLength: 1024 } as const;
    expect(totalMib({ ...halfBillion, draft }, wasm)).toBe(totalMib(halfBillion, wasm));
  });
});

describe('the estimate for a model with an MTP layer', () => {
  const withMtp = { ...halfBillion, mtpCachedPerToken: 256 };

  it('has its keys and values in all slots, and a second context', () => {
    const of = (shape: ModelShape) => estimateMemory(shape, plan({ contextLength: 4096, slots: 8 }));
    expect(of(withMtp).weights).toBe(of(halfBillion).weights);
    expect(of(withMtp).cache - of(halfBillion).cache).toBe(8 * 4096 * 256 * 2);
    expect(of(withMtp).compute).toBeGreaterThan(of(halfBillion).compute);
  });

  it('has them in the sizes from which the part on a GPU is chosen', () => {
    const of = (shape: ModelShape) => partSizes(shape, plan({ backend: 'gpu', contextLength: 4096, slots: 2 }));
    expect(of(withMtp).cachePerToken - of(halfBillion).cachePerToken).toBe(2 * 256 * 2);
    expect(of(withMtp).compute).toBeGreaterThan(of(halfBillion).compute);
  });

  it('is that of the model alone on WebAssembly, which does not use it', () => {
    const wasm = { backend: 'wasm', contextLength: 1024 } as const;
    expect(totalMib(withMtp, wasm)).toBe(totalMib(halfBillion, wasm));
  });
});

describe('the estimate for a model with an EAGLE-3 draft model', () => {
  const file = { ...smallVocabulary, fileBytes: 100 * MIB, cachedPerToken: 1000, trainedContextLength: 1024 };
  const withDraft = { ...halfBillion, eagle3: { ...file, readLayers: 3, borrows: false } };
  const lending = { ...halfBillion, eagle3: { ...file, readLayers: 3, borrows: true } };

  it("has its weights, its keys and values in all slots of the model's window, and the rows of three layers", () => {
    const of = (shape: ModelShape) => estimateMemory(shape, plan({ contextLength: 4096, slots: 8 }));
    expect(of(withDraft).weights - of(halfBillion).weights).toBe(100 * MIB + 20_000 * 600);
    expect(of(withDraft).cache - of(halfBillion).cache).toBe(8 * 4096 * 1000 * 2);
    const rows = 3 * halfBillion.embeddingLength * plan({}).batchSize * 4;
    expect(of(withDraft).compute - of(halfBillion).compute).toBeGreaterThan(rows + 3 * 64 * 20_000 * 4);
  });

  it('has a small context more of a model that lends it weights', () => {
    const of = (shape: ModelShape) => estimateMemory(shape, plan({ contextLength: 4096, slots: 8 }));
    expect(of(lending).cache - of(withDraft).cache).toBe(256 * halfBillion.cachedPerToken * 2);
  });

  it('has them in the sizes from which the part on a GPU is chosen', () => {
    const of = (shape: ModelShape) => partSizes(shape, plan({ backend: 'gpu', contextLength: 4096, slots: 2 }));
    expect(of(withDraft).cachePerToken - of(halfBillion).cachePerToken).toBe(2 * 1000 * 2);
    expect(of(withDraft).weights - of(halfBillion).weights).toBe(100 * MIB + 20_000 * 600);
  });

  it('is that of the model alone on WebAssembly, which does not load it', () => {
    const wasm = { backend: 'wasm', contextLength: 1024 } as const;
    expect(totalMib(withDraft, wasm)).toBe(totalMib(halfBillion, wasm));
  });
});

describe('the estimate for a model with a projector', () => {
  /** The `tiny` model of test/kit/models. */
  const tiny: ModelShape = {
    fileBytes: 2_775_264,
    layers: 1,
    cachedPerToken: 2 * 16,
    embeddingLength: 256,
    feedForwardLength: 512,
    vocabularySize: 309,
    trainedContextLength: 1024,
    poolsLast: false,
  };
  /** The `base` projector for images. */
  const sees = {
    places: 196,
    embeddingLength: 768,
    feedForwardLength: 3072,
    tokensTogether: 0,
    audio: false,
    dependsOnPlace: false,
  };
  const hears = {
    places: 1500,
    embeddingLength: 32,
    feedForwardLength: 64,
    tokensTogether: 0,
    audio: true,
    dependsOnPlace: false,
  };
  const wasm = { backend: 'wasm', contextLength: 1024 } as const;

  function shapeWith(projector: typeof sees, fileBytes: number): ModelShape {
    return { ...tiny, fileBytes: tiny.fileBytes + fileBytes, projector: { ...projector, fileBytes } };
  }

  // The measured growth of the process in MiB after an image or a recording.
  it.each([
    ['images', shapeWith(sees, 372_600_160), 955],
    ['audio', shapeWith(hears, 1_176_448), 587],
  ])('is at most 5% below and 25% above what was measured (%s)', (_, shape, measured) => {
    const estimate = totalMib(shape, wasm) / measured;
    expect(estimate).toBeGreaterThan(0.95);
    expect(estimate).toBeLessThan(1.25);
  });

  it('has room for the rows of a large image', () => {
    const large = { ...sees, places: 4096 };
    const grown = totalMib(shapeWith(large, 0), wasm) - totalMib(shapeWith({ ...sees, places: 0 }, 0), wasm);
    expect(grown).toBeCloseTo((4096 * (6 * 768 + 3 * 3072) * 4) / MIB, 0);
  });

  it('has a batch and its logits for the tokens that are read together', () => {
    const together = { ...halfBillion, projector: { ...sees, tokensTogether: 288, fileBytes: 0 } };
    const apart = { ...halfBillion, projector: { ...sees, fileBytes: 0 } };
    const grown = totalMib(together, wasm) - totalMib(apart, wasm);
    expect(grown).toBeGreaterThan((256 * halfBillion.vocabularySize * 4) / MIB);
  });

  it('counts floats and the scores of attention on WebAssembly if the KV cache has floats', () => {
    const half = estimateMemory(halfBillion, plan({ backend: 'wasm' }));
    const wide = estimateMemory(halfBillion, plan({ backend: 'wasm', floatCache: true }));
    expect(wide.cache).toBe(2 * half.cache);
    // 12 tokens of a batch, 4096 of the window, 14 heads.
    expect(wide.compute - half.compute).toBe(4 * 12 * 4096 * 14);
  });

  it('follows the format of the KV cache, except on WebAssembly, which has its own', () => {
    const cache = (more: Partial<MemoryPlan>) => estimateMemory(halfBillion, plan(more)).cache;
    const whole = cache({});
    expect(cache({ kvType: 'f16' })).toBe(whole);
    expect(cache({ kvType: 'q8_0' })).toBe((whole * 34) / 64);
    expect(cache({ kvType: 'q4_0' })).toBe((whole * 18) / 64);
    expect(cache({ backend: 'wasm', kvType: 'q8_0' })).toBe(cache({ backend: 'wasm' }));
  });
});
