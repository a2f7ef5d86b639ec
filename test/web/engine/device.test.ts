import { describe, expect, it } from 'vitest';
import { afterLosses, pickDevice, withLayers, withMostThreads, withoutGpu } from '../../../web/engine/device.ts';

const GIB = 2 ** 30;
const card = { limits: { maxBufferSize: 2 * GIB, maxStorageBufferBindingSize: GIB }, subgroups: true, streams: true };

describe('the device of the browser', () => {
  it('is WebGPU where an adapter has half floats', () => {
    const device = pickDevice({ gpu: card, isolated: true, cores: 4 });
    const reason = 'A graphics adapter with half floats is there.';
    expect(device).toEqual({ backend: 'webgpu', threads: 4, reason, card });
  });

  it.each([
    ['none', 'No WebGPU: this browser does not have it.'],
    ['no adapter', 'No WebGPU: it finds no graphics adapter.'],
    ['software', 'No WebGPU: the graphics adapter computes on the processor, which is slower than WebAssembly.'],
    ['no half floats', 'No WebGPU: the graphics adapter lacks half floats (shader-f16).'],
  ] as const)('is WebAssembly with the reason where WebGPU has %s', (gpu, reason) => {
    const device = pickDevice({ gpu, isolated: true, cores: 4 });
    expect(device).toEqual({ backend: 'wasm', threads: 4, reason: `${reason} 4 threads on 4 cores.` });
  });

  it('has one thread where the page is not isolated, and says so', () => {
    const device = pickDevice({ gpu: 'none', isolated: false, cores: 16 });
    expect(device.threads).toBe(1);
    expect(device.reason).toContain('One thread: the page is not cross-origin isolated.');
  });

  it.each([
    [1, 1],
    [2, 2],
    [4, 4],
    [6, 4],
    [8, 4],
    [12, 6],
    [64, 8],
  ])('of %i logical cores takes %i', (cores, threads) => {
    expect(pickDevice({ gpu: 'none', isolated: true, cores }).threads).toBe(threads);
  });

  it('has no more threads than the model wants, and says so', () => {
    const device = pickDevice({ gpu: 'none', isolated: true, cores: 4 });
    const { threads, reason } = withMostThreads(device, 1);
    expect(threads).toBe(1);
    expect(reason).toContain('4 threads on 4 cores. This model uses 1 of them.');
    expect(withMostThreads(device, 8)).toEqual(device);
    expect(withMostThreads(device)).toEqual(device);
  });

  it('falls back to WebAssembly with a reason', () => {
    const device = withoutGpu(pickDevice({ gpu: card, isolated: true, cores: 2 }), 'it was lost.');
    expect(device).toEqual({ backend: 'wasm', threads: 2, reason: 'No WebGPU: it was lost.' });
  });

  it('says so where a part of the model alone fits the graphics card', () => {
    const device = pickDevice({ gpu: card, isolated: true, cores: 2 });
    expect(withLayers(device, { onCard: 25, all: 25 })).toEqual(device);
    const partly = withLayers(device, { onCard: 12, all: 25 });
    expect(partly).toMatchObject({ partly: true, reason: '12 of 25 layers of the model fit the graphics card.' });
  });

  it('is WebAssembly after the graphics card was lost twice in a row', () => {
    const device = pickDevice({ gpu: card, isolated: true, cores: 2 });
    expect(afterLosses(device, 1)).toEqual(device);
    expect(afterLosses(device, 2)).toEqual({
      backend: 'wasm',
      threads: 2,
      reason: 'No WebGPU: it was lost again and again.',
    });
    const without = pickDevice({ gpu: 'none', isolated: true, cores: 2 });
    expect(afterLosses(without, 2)).toEqual(without);
  });
});
