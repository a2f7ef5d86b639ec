import { describe, expect, it } from 'vitest';
import { bytesBesideGpu, bytesOnGpu, planOffload, smallerOffload } from '../../src/engine/offload.ts';

const model = { layers: 33, weights: 4000, compute: 100, cachePerToken: 0.1, longest: 32_768, shortest: 4096 };

describe('the part of a model that goes to a GPU', () => {
  it.each([
    ['all of it with the longest window where there is room', 8000, { layers: 33, contextLength: 32_768 }],
    ['all of it with half of the window', 5800, { layers: 33, contextLength: 16_384 }],
    ['all of it with the shortest window', 4600, { layers: 33, contextLength: 4096 }],
    ['half of the layers with the shortest window', 2305, { layers: 16, contextLength: 4096 }],
    ['nothing where there is room for intermediate results alone', 100, { layers: 0, contextLength: 4096 }],
  ])('is %s', (_, free, expected) => {
    expect(planOffload({ ...model, free })).toEqual(expected);
  });

  it('has the whole of a window that is shorter than the shortest', () => {
    expect(planOffload({ ...model, longest: 1024, shortest: 1024, free: 4300 })).toEqual({
      layers: 33,
      contextLength: 1024,
    });
  });

  it('never shortens a window that is configured: fewer layers go to the GPU', () => {
    const configured = { ...model, shortest: model.longest };
    expect(planOffload({ ...configured, free: 4600 })).toEqual({ layers: 20, contextLength: 32_768 });
    expect(smallerOffload({ layers: 20, contextLength: 32_768 }, 32_768)).toEqual({
      layers: 17,
      contextLength: 32_768,
    });
  });

  it('gets smaller step by step: first the window, then the layers, down to nothing', () => {
    expect(smallerOffload({ layers: 33, contextLength: 16_384 }, 4096)).toEqual({ layers: 33, contextLength: 8192 });
    expect(smallerOffload({ layers: 33, contextLength: 4096 }, 4096)).toEqual({ layers: 28, contextLength: 4096 });
    expect(smallerOffload({ layers: 1, contextLength: 4096 }, 4096)).toBeNull();
  });
});

/** A mixture of experts like Qwen3 30B-A3B in Q4_K: 48 layers with 350 MB of experts and 25 MB of the rest each, in MB. */
const mixture = {
  layers: 49,
  weights: 48 * 375 + 600,
  compute: 400,
  cachePerToken: 0.1,
  tensors: {
    layers: Array.from({ length: 48 }, () => ({ experts: 350, rest: 25 })),
    embedding: 300,
    output: 300,
    others: 0,
  },
  longest: 32_768,
  shortest: 4096,
};

describe('a mixture of experts on a GPU', () => {
  const planned = (free: number, asked = {}) => planOffload({ ...mixture, free }, asked);

  it('is there as a whole where there is room', () => {
    expect(planned(24_000)).toEqual({ layers: 49, contextLength: 32_768 });
    expect(planned(20_000)).toEqual({ layers: 49, contextLength: 8192 });
  });

  it('keeps all layers on a small card, and as many experts as have to in the memory of the machine', () => {
    const plan = planned(8000);
    expect(plan).toEqual({ layers: 49, contextLength: 16_384, cpuExperts: 36 });
    expect(bytesOnGpu(mixture, plan)).toBeLessThanOrEqual(8000);
    expect(bytesOnGpu(mixture, { ...plan, cpuExperts: 35 })).toBeGreaterThan(8000);
    expect(bytesBesideGpu(mixture, plan)).toBe(36 * 350 + 300);
  });

  it('leaves layers out where even its layers without experts do not fit', () => {
    const plan = planned(1700);
    expect(plan).toMatchObject({ contextLength: 4096, cpuExperts: 48 });
    expect(plan.layers).toBeLessThan(49);
    expect(bytesOnGpu(mixture, plan)).toBeLessThanOrEqual(1700);
  });

  it('is split as it is configured', () => {
    expect(planned(24_000, { cpuExperts: 10 })).toEqual({ layers: 49, contextLength: 32_768, cpuExperts: 10 });
    expect(planned(8000, { gpuLayers: 5 })).toEqual({ layers: 5, contextLength: 32_768 });
    expect(planned(8000, { cpuExperts: 0 })).toMatchObject({ contextLength: 4096 });
    expect(planned(8000, { cpuExperts: 0 }).cpuExperts).toBeUndefined();
  });

  it('gives up experts before layers if it did not fit', () => {
    expect(smallerOffload({ layers: 49, contextLength: 4096, cpuExperts: 40 }, 4096, 48)).toEqual({
      layers: 49,
      contextLength: 4096,
      cpuExperts: 48,
    });
    expect(smallerOffload({ layers: 49, contextLength: 4096, cpuExperts: 48 }, 4096, 48)).toEqual({
      layers: 41,
      contextLength: 4096,
      cpuExperts: 48,
    });
  });
});
