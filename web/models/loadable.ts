import { invalidSource } from '../../src/catalogue/pull/errors.ts';
import { WASM_MEMORY_BYTES } from '../../src/contract/engine-info.ts';
import { formatBytes } from '../../src/utils/bytes.ts';
import { probeAdapter } from '../gpu/adapter.ts';
import { measureRoom } from '../gpu/card-room.ts';
import { browserGpu } from '../gpu/gpu.ts';

/**
 * Throws an `ApiError` if the model is too large for the memory of a browser, though the disk may have room for it: for
 * WebAssembly's, or for both together with a graphics card to which files stream. `gpu` is the browser's WebGPU, and `streams`
 * as `probeAdapter` has it.
 */
export async function checkLoadable(id: string, bytes: number, gpu = browserGpu(), streams?: boolean): Promise<void> {
  if (bytes < WASM_MEMORY_BYTES) return;
  const card = await probeAdapter(gpu, streams);
  const isUsable = gpu !== undefined && typeof card === 'object' && card.streams;
  const room = isUsable ? await measureRoom(gpu, bytes) : 0;
  if (bytes < room + WASM_MEMORY_BYTES) return;
  const onCard = isUsable
    ? `its graphics card has room for ${formatBytes(room)} beside the model in use`
    : 'there is no graphics card that can take a part';
  throw invalidSource(
    `${id} has ${formatBytes(bytes)}, and a browser gives a model no more than ${formatBytes(WASM_MEMORY_BYTES)} of memory; ` +
      `${onCard}. Take a smaller quantization or a smaller model.`,
  );
}
