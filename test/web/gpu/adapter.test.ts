import { describe, expect, it } from 'vitest';
import { judgeAdapter, probeAdapter } from '../../../web/gpu/adapter.ts';
import { simulatedGpu } from '../support/simulated-gpu.ts';

describe('a graphics adapter', () => {
  const halfFloats = { has: (name: string) => name === 'shader-f16' };

  it('is usable if it has half floats', () => {
    expect(judgeAdapter({ features: halfFloats })).toBe('usable');
    expect(judgeAdapter({ features: halfFloats, info: { isFallbackAdapter: false } })).toBe('usable');
    expect(judgeAdapter({ features: { has: () => false } })).toBe('no half floats');
  });

  it('that is software is not taken, however the browser says so', () => {
    expect(judgeAdapter({ features: halfFloats, info: { isFallbackAdapter: true } })).toBe('software');
    expect(judgeAdapter({ features: halfFloats, isFallbackAdapter: true })).toBe('software');
  });

  it('tells its limits, as plain numbers that can be sent to a worker, and if its threads exchange numbers and files stream to it', async () => {
    const { gpu } = simulatedGpu({ maxBufferSize: 512, maxStorageBufferBindingSize: 128 });
    const limits = { maxBufferSize: 512, maxStorageBufferBindingSize: 128 };
    expect(await probeAdapter(gpu, true)).toEqual({ limits, subgroups: true, streams: true });
    expect(structuredClone(await probeAdapter(gpu, false))).toEqual({ limits, subgroups: true, streams: false });
  });

  it('may be missing', async () => {
    expect(await probeAdapter(undefined)).toBe('none');
    expect(await probeAdapter({ requestAdapter: async () => null })).toBe('no adapter');
    expect(await probeAdapter({ requestAdapter: () => Promise.reject(new Error('blocked')) })).toBe('no adapter');
  });
});
