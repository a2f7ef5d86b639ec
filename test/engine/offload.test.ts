import { describe, expect, it } from 'vitest';
import { planOffload, smallerOffload } from '../../src/engine/offload.ts';

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
