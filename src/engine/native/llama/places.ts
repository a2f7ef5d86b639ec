/** A block of memory that llama.cpp has reserved. */
export interface ReservedBuffer {
  /** llama.cpp's name of the device and kind of memory, as in `Vulkan0`, `CPU_Mapped` or `Vulkan_Host`. */
  place: string;
  /** What it holds: weights (`model`), a cache (`KV`, `RS`), intermediate results (`compute`) or logits (`output`). */
  holds: string;
  bytes: number;
}

/** Where llama.cpp has put a model: what its log says of the load and of the making of a context. */
export interface Places {
  buffers: ReservedBuffer[];
  /** The tensors that were put elsewhere than the rest of their layer, and the kind of memory. */
  moved: { tensor: string; place: string }[];
}

const BUFFER = /(\S+)\s+(model|KV|RS|compute|output) buffer size =\s*([\d.]+) MiB/;
const MOVED = /^tensor (\S+) \(.*\) buffer type overridden to (\S+)/;
const MIB = 2 ** 20;

/** Collects the places from the lines of llama.cpp's log. */
export function createPlaces(): { read(line: string): void; take(): Places } {
  let places: Places = { buffers: [], moved: [] };
  return {
    read(line) {
      const [, place, holds, mib] = BUFFER.exec(line) ?? [];
      if (place !== undefined && holds !== undefined) {
        places.buffers.push({ place, holds, bytes: Math.round(Number(mib) * MIB) });
      }
      const [, tensor, memory] = MOVED.exec(line) ?? [];
      if (tensor !== undefined && memory !== undefined) places.moved.push({ tensor, place: memory });
    },
    take() {
      const taken = places;
      places = { buffers: [], moved: [] };
      return taken;
    },
  };
}
