import { describe, expect, it } from 'vitest';
import { InsufficientMemory } from '../../../../src/engine/memory-estimate.ts';
import { refuseHopeless, refuseNoDevice } from '../../../../src/engine/native/llama/load-model.ts';

const GIB = 2 ** 30;

/** Returns one device with this free memory. */
function gpu(free: number, sharesMemory = false) {
  return [{ name: 'a card', memory: { total: free, free }, sharesMemory }];
}

describe('memory with a GPU', () => {
  it('is that of the GPU and the machine together', () => {
    refuseHopeless(gpu(8 * GIB), { needed: 20 * GIB, available: 12 * GIB });
    const refuse = () => refuseHopeless(gpu(8 * GIB), { needed: 21 * GIB, available: 12 * GIB });
    expect(refuse).toThrow(/needs 22\.5 GB, GPU and machine have 21\.5 GB/);
    expect(refuse).toThrow(InsufficientMemory);
  });

  it('is counted once where they share it', () => {
    const shared = gpu(16 * GIB, true);
    refuseHopeless(shared, { needed: 16 * GIB, available: 16 * GIB });
    expect(() => refuseHopeless(shared, { needed: 17 * GIB, available: 16 * GIB })).toThrow(/17\.2 GB/);
  });

  it('is needed on a device: a runtime without one, or without memory, is refused', () => {
    expect(() => refuseNoDevice([], 'vulkan')).toThrow('it is installed, but offers no device');
    expect(() => refuseNoDevice(gpu(0), 'vulkan')).toThrow('vulkan offers a card, but no memory on it');
    refuseNoDevice(gpu(1), 'vulkan');
  });
});
