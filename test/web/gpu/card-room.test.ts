import { describe, expect, it } from 'vitest';
import { measureRoom } from '../../../web/gpu/card-room.ts';
import { simulatedGpu } from '../support/simulated-gpu.ts';

const GIB = 2 ** 30;

describe('the room on a graphics card', () => {
  it('is all that is wanted where the card has it', async () => {
    const { gpu } = simulatedGpu({ memory: 8 * GIB });
    expect(await measureRoom(gpu, 3 * GIB + 5)).toBe(3 * GIB + 5);
  });

  it('is what the card gives before it refuses, to a quarter of a GiB', async () => {
    const { gpu } = simulatedGpu({ memory: 2.9 * GIB });
    expect(await measureRoom(gpu, 20 * GIB)).toBe(2.75 * GIB);
  });

  it('is found with buffers that are no larger than the card allows', async () => {
    const { gpu } = simulatedGpu({ memory: 4 * GIB, maxBufferSize: GIB / 8 });
    expect(await measureRoom(gpu, GIB)).toBe(GIB);
  });

  it('is given back at once', async () => {
    const { gpu, taken } = simulatedGpu({ memory: 2 * GIB });
    await measureRoom(gpu, 20 * GIB);
    expect(taken()).toBe(0);
  });

  it('is nothing without a card', async () => {
    expect(await measureRoom({ requestAdapter: async () => null }, GIB)).toBe(0);
    const { gpu } = simulatedGpu({ memory: GIB });
    const adapter = await gpu.requestAdapter();
    const refusing = { ...adapter, requestDevice: () => Promise.reject(new Error('no device')) };
    expect(await measureRoom({ requestAdapter: async () => refusing as never }, GIB)).toBe(0);
  });
});
