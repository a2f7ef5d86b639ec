const BLOCK = 32;
const BLOCK_BYTES = 34;

/** Returns the size of this many values in Q8_0, in bytes. Throws unless the values fill whole blocks. */
export function quantizedBytes(count: number): number {
  if (count % BLOCK !== 0) throw new Error(`${count} values are no whole number of blocks of ${BLOCK}`);
  return (count / BLOCK) * BLOCK_BYTES;
}

/**
 * Quantizes to Q8_0: each block of 32 values has a half-precision scale, and the values divided by it as signed bytes.
 */
export function quantize(values: Float32Array): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(quantizedBytes(values.length)));
  for (let block = 0; block < values.length / BLOCK; block++) {
    const own = values.subarray(block * BLOCK, (block + 1) * BLOCK);
    const scale = own.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
    bytes.setUint16(block * BLOCK_BYTES, toHalf(scale), true);
    for (const [index, value] of own.entries()) {
      bytes.setInt8(block * BLOCK_BYTES + 2 + index, scale === 0 ? 0 : Math.round(value / scale));
    }
  }
  return new Uint8Array(bytes.buffer);
}

/** Returns the values of Q8_0 data. */
export function dequantize(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float32Array((bytes.length / BLOCK_BYTES) * BLOCK);
  for (let block = 0; block < values.length / BLOCK; block++) {
    const scale = fromHalf(view.getUint16(block * BLOCK_BYTES, true));
    for (let index = 0; index < BLOCK; index++) {
      values[block * BLOCK + index] = scale * view.getInt8(block * BLOCK_BYTES + 2 + index);
    }
  }
  return values;
}

const single = new DataView(new ArrayBuffer(4));

/** Returns the bits of the nearest half-precision number, for a number from 0 to 65,504. */
export function toHalf(value: number): number {
  single.setFloat32(0, value);
  const bits = single.getUint32(0);
  const exponent = (bits >>> 23) - 112;
  // Too small for a normal half: a multiple of 2^-24.
  if (exponent <= 0) return Math.round(value * 2 ** 24);
  // A carry out of the mantissa correctly increases the exponent.
  return (exponent << 10) + Math.round((bits & 0x7fffff) / 2 ** 13);
}

/** Returns the number with these half-precision bits, which must be positive. */
export function fromHalf(bits: number): number {
  const exponent = bits >> 10;
  const mantissa = (bits & 1023) / 1024;
  return exponent === 0 ? mantissa * 2 ** -14 : (1 + mantissa) * 2 ** (exponent - 15);
}
