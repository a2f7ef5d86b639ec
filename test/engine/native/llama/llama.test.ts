import { InsufficientMemoryError } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { InsufficientMemory } from '../../../../src/engine/memory-estimate.ts';
import { inOurWords, penaltyWindow, refuseHopeless } from '../../../../src/engine/native/llama/llama.ts';

const GIB = 2 ** 30;

/** Makes a driver that reports this GPU memory. */
function gpu(free: number, unifiedSize = 0) {
  return { getVramState: async () => ({ total: free, used: 0, free, unifiedSize }) };
}

describe('memory with a GPU', () => {
  it('is that of the GPU and the machine together', async () => {
    await refuseHopeless(gpu(8 * GIB), { needed: 20 * GIB, available: 12 * GIB });
    const refused = refuseHopeless(gpu(8 * GIB), { needed: 21 * GIB, available: 12 * GIB });
    await expect(refused).rejects.toThrow(/needs 22\.5 GB, GPU and machine have 21\.5 GB/);
    await expect(refused).rejects.toBeInstanceOf(InsufficientMemory);
  });

  it('is counted once where they share it', async () => {
    const shared = gpu(16 * GIB, 16 * GIB);
    await refuseHopeless(shared, { needed: 16 * GIB, available: 16 * GIB });
    await expect(refuseHopeless(shared, { needed: 17 * GIB, available: 16 * GIB })).rejects.toThrow(/17\.2 GB/);
  });
});

describe("node-llama-cpp's errors", () => {
  it('become InsufficientMemory if memory is short, and stay as they are otherwise', () => {
    expect(inOurWords(new InsufficientMemoryError('too large for the available VRAM'))).toBeInstanceOf(
      InsufficientMemory,
    );
    const other = new Error('no such file');
    expect(inOurWords(other)).toBe(other);
  });
});

describe('the tokens that penalties look back on', () => {
  it('are as many as the request asks for, but no more than the context holds', () => {
    expect(penaltyWindow({ repeatLastN: 64 }, 512)).toBe(64);
    expect(penaltyWindow({ repeatLastN: -1 }, 512)).toBe(512);
    // llama.cpp computed for ever with this one, in the thread that steps all slots.
    expect(penaltyWindow({ repeatLastN: Number.MAX_SAFE_INTEGER }, 512)).toBe(512);
  });
});
