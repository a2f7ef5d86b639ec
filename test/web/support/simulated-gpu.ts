import type { GpuDevice, WebGpu } from '../../../web/gpu/gpu.ts';

/** A graphics card with so much memory, in bytes, as WebGPU shows it. */
export function simulatedGpu({ memory = 0, maxBufferSize = 2 ** 31, maxStorageBufferBindingSize = 2 ** 30 }): {
  gpu: WebGpu;
  taken: () => number;
} {
  let taken = 0;
  const device = (): GpuDevice => {
    let refused: object | null = null;
    let isThere = true;
    const held = new Set<() => void>();
    return {
      pushErrorScope() {
        refused = null;
      },
      popErrorScope: async () => refused,
      createBuffer({ size }) {
        if (!isThere) throw new Error('the device is destroyed');
        const fits = size <= maxBufferSize && taken + size <= memory;
        if (!fits) refused = { message: 'out of memory' };
        const free = () => {
          if (held.delete(free)) taken -= size;
        };
        if (fits) {
          taken += size;
          held.add(free);
        }
        return { destroy: free };
      },
      destroy() {
        isThere = false;
        for (const free of [...held]) free();
      },
    };
  };
  const features = { has: (name: string) => name === 'shader-f16' || name === 'subgroups' };
  // Like the browser's, the limits have no properties of their own.
  const limits = Object.create({ maxBufferSize, maxStorageBufferBindingSize });
  return {
    gpu: { requestAdapter: async () => ({ features, limits, requestDevice: async () => device() }) },
    taken: () => taken,
  };
}
