const BLOCK = 32;
const BLOCK_BYTES = 34;

/** Q8_0: for every 32 values a half-precision scale and the values over it as signed bytes. */
export function quantize(values: Float32Array): Uint8Array {
  if (values.length % BLOCK !== 0) throw new Error(`${values.length} values are no whole number of blocks of ${BLOCK}`);
  const bytes = new DataView(new ArrayBuffer((values.length / BLOCK) * BLOCK_BYTES));
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

const single = new DataView(new ArrayBuffer(4));

/** The nearest half-precision number's bits, for a number from 0 to 65,504. */
export function toHalf(value: number): number {
  single.setFloat32(0, value);
  const bits = single.getUint32(0);
  const exponent = (bits >>> 23) - 112;
  // Too small for a normal half: a multiple of 2^-24.
  if (exponent <= 0) return Math.round(value * 2 ** 24);
  // A carry out of the mantissa is a right step of the exponent.
  return (exponent << 10) + Math.round((bits & 0x7fffff) / 2 ** 13);
}
