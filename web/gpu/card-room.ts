import type { WebGpu } from './gpu.ts';

/** The usage of llama.cpp's buffers: STORAGE, COPY_SRC and COPY_DST. */
const USAGE = 0x80 | 0x04 | 0x08;
/** The bytes that are asked for at once. Smaller pieces take more round trips, larger ones waste room at the end. */
const PIECE_BYTES = 256 * 2 ** 20;

/**
 * Returns how many of `wanted` bytes the graphics card has room for. WebGPU does not tell a card's memory, so this takes
 * buffers until one is refused, and gives them back at once. Returns 0 if there is no adapter or no device.
 */
export async function measureRoom(gpu: WebGpu, wanted: number): Promise<number> {
  const adapter = await gpu.requestAdapter().catch(() => null);
  if (!adapter) return 0;
  const { maxBufferSize } = adapter.limits;
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize } }).catch(() => null);
  if (!device) return 0;
  const taken: { destroy(): void }[] = [];
  let room = 0;
  try {
    while (room < wanted) {
      const size = Math.min(PIECE_BYTES, maxBufferSize, toMultipleOf4(wanted - room));
      device.pushErrorScope('out-of-memory');
      const buffer = device.createBuffer({ size, usage: USAGE });
      taken.push(buffer);
      if ((await device.popErrorScope()) !== null) break;
      room += size;
    }
  } catch {
    // The device is lost: what it had room for until then counts.
  } finally {
    for (const buffer of taken) buffer.destroy();
    device.destroy();
  }
  return Math.min(room, wanted);
}

function toMultipleOf4(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
