import type { Dice } from '../../kit/dice.ts';

// The formats of weights and activations as ggml stores them, decoded one number at a time with doubles: what the
// kernels are compared with.

/** How unusual the numbers of a matrix are. */
export type Kind = 'usual' | 'extreme' | 'broken';

export interface Format {
  name: string;
  /** ggml's number of the type. */
  type: number;
  bytes: number;
  /** Numbers in a block. */
  length: number;
  /** Writes a block of random bytes, with scales of a kind. */
  fill(block: DataView, dice: Dice, kind: Kind): void;
  /** Decodes a number of a block. */
  value(block: DataView, index: number): number;
  /** Returns the sum of the absolute parts that a number is computed from, which bounds the error of rounding. */
  size?(block: DataView, index: number): number;
}

/** The number that 16 bits are as an IEEE half float. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** 0, -0, the smallest and the largest denormal half float, the smallest normal and the largest. */
const EXTREME_HALVES = [0, 0x8000, 1, 0x83ff, 0x0400, 0xfbff, 0x7bff];
/** Infinities and NaN. */
const BROKEN_HALVES = [0x7c00, 0xfc00, 0x7e01, 0xffff];

/** Returns a half float between about 0.001 and 0.03, or an unusual one. */
function randomHalf(dice: Dice, kind: Kind): number {
  if (kind === 'extreme' && dice.chance(0.3)) return dice.pick(EXTREME_HALVES);
  if (kind === 'broken' && dice.chance(0.02)) return dice.pick(BROKEN_HALVES);
  return (dice.chance(0.5) ? 0x8000 : 0) | (0x1400 + dice.below(0x1400));
}

/** Returns a float, also one that a half float can't be. */
function randomFloat(dice: Dice, kind: Kind): number {
  if (kind === 'extreme' && dice.chance(0.3)) return dice.pick([0, -0, 1e-42, -1e-38, 1e15, -1e15]);
  if (kind === 'broken' && dice.chance(0.02)) return dice.pick([Number.NaN, Number.POSITIVE_INFINITY]);
  return (dice.below(2 ** 20) - 2 ** 19) / 2 ** 22;
}

function fillBytes(block: DataView, dice: Dice, start: number, end: number): void {
  for (let i = start; i < end; i++) block.setUint8(i, dice.below(256));
}

/** The bytes of activations: ggml never makes -128. */
function fillSigned(block: DataView, dice: Dice, start: number, end: number): void {
  // All of one sign, all the largest: where sums would overflow.
  const only = dice.chance(0.2) ? dice.pick([127, -127]) : null;
  for (let i = start; i < end; i++) block.setInt8(i, only ?? dice.below(255) - 127);
}

const scale = (block: DataView, at: number) => half(block.getUint16(at, true));

/** The low or the high half of the byte that has number `i` of 32. */
const nibble = (block: DataView, at: number, i: number) => (block.getUint8(at + (i % 16)) >> (i < 16 ? 0 : 4)) & 15;

/** The 6-bit scale and the 6-bit minimum of a sub-block of Q4_K and Q5_K. */
function sixBits(block: DataView, j: number): { scale: number; minimum: number } {
  const byte = (i: number) => block.getUint8(4 + i);
  if (j < 4) return { scale: byte(j) & 63, minimum: byte(j + 4) & 63 };
  return {
    scale: (byte(j + 4) & 15) | ((byte(j - 4) >> 6) << 4),
    minimum: (byte(j + 4) >> 4) | ((byte(j) >> 6) << 4),
  };
}

/** A format with one scale for 32 numbers. */
function simple(name: string, type: number, bytes: number, decode: (block: DataView, i: number) => number): Format {
  return {
    name,
    type,
    bytes,
    length: 32,
    fill(block, dice, kind) {
      fillBytes(block, dice, 2, bytes);
      block.setUint16(0, randomHalf(dice, kind), true);
    },
    value: (block, i) => scale(block, 0) * decode(block, i),
  };
}

/** Q4_K and Q5_K: a number is a part of its scale, less a minimum. */
function withMinima(name: string, type: number, bytes: number, decode: (block: DataView, i: number) => number): Format {
  const parts = (block: DataView, i: number) => {
    const six = sixBits(block, i >> 5);
    return { part: scale(block, 0) * six.scale * decode(block, i), minimum: scale(block, 2) * six.minimum };
  };
  return {
    name,
    type,
    bytes,
    length: 256,
    fill(block, dice, kind) {
      fillBytes(block, dice, 4, bytes);
      block.setUint16(0, randomHalf(dice, kind), true);
      block.setUint16(2, randomHalf(dice, kind), true);
    },
    value(block, i) {
      const { part, minimum } = parts(block, i);
      return part - minimum;
    },
    size(block, i) {
      const { part, minimum } = parts(block, i);
      return Math.abs(part) + Math.abs(minimum);
    },
  };
}

/** Number i of a Q4_K block, whose values start at a byte. */
const halfByte = (block: DataView, at: number, i: number) =>
  (block.getUint8(at + 32 * (i >> 6) + (i % 32)) >> (i & 32 ? 4 : 0)) & 15;

function sixBitValue(block: DataView, i: number): number {
  const halfBlock = i >> 7;
  const quarter = (i >> 5) & 3;
  const l = i % 32;
  const low = block.getUint8(64 * halfBlock + 32 * (quarter & 1) + l) >> (quarter < 2 ? 0 : 4);
  const high = block.getUint8(128 + 32 * halfBlock + l) >> (2 * quarter);
  return ((low & 15) | ((high & 3) << 4)) - 32;
}

export const WEIGHTS = {
  Q8_0: simple('Q8_0', 8, 34, (block, i) => block.getInt8(2 + i)),
  Q5_0: simple('Q5_0', 6, 22, (block, i) => nibble(block, 6, i) + 16 * ((block.getUint32(2, true) >>> i) & 1) - 16),
  Q4_0: simple('Q4_0', 2, 18, (block, i) => nibble(block, 2, i) - 8),
  Q4_K: withMinima('Q4_K', 12, 144, (block, i) => halfByte(block, 16, i)),
  Q5_K: withMinima('Q5_K', 13, 176, (block, i) => {
    const fifth = (block.getUint8(16 + (i % 32)) >> (i >> 5)) & 1;
    return halfByte(block, 48, i) + 16 * fifth;
  }),
  Q6_K: {
    name: 'Q6_K',
    type: 14,
    bytes: 210,
    length: 256,
    fill(block, dice, kind) {
      fillBytes(block, dice, 0, 208);
      block.setUint16(208, randomHalf(dice, kind), true);
    },
    value: (block, i) => scale(block, 208) * block.getInt8(192 + (i >> 4)) * sixBitValue(block, i),
  },
  F16: {
    name: 'F16',
    type: 1,
    bytes: 2,
    length: 1,
    fill: (block, dice, kind) => block.setUint16(0, randomHalf(dice, kind), true),
    value: (block) => scale(block, 0),
  },
  BF16: {
    name: 'BF16',
    type: 30,
    bytes: 2,
    length: 1,
    fill(block, dice, kind) {
      const float = new DataView(new ArrayBuffer(4));
      float.setFloat32(0, randomFloat(dice, kind));
      block.setUint16(0, float.getUint16(0), true);
    },
    value(block) {
      const float = new DataView(new ArrayBuffer(4));
      float.setUint16(0, block.getUint16(0, true));
      return float.getFloat32(0);
    },
  },
} satisfies Record<string, Format>;

export const ACTIVATIONS = {
  Q8_0: {
    ...WEIGHTS.Q8_0,
    fill(block, dice, kind) {
      block.setUint16(0, randomHalf(dice, kind), true);
      fillSigned(block, dice, 2, 34);
    },
  },
  Q8_K: {
    name: 'Q8_K',
    type: 15,
    bytes: 292,
    length: 256,
    fill(block, dice, kind) {
      block.setFloat32(0, randomFloat(dice, kind), true);
      fillSigned(block, dice, 4, 260);
      for (let group = 0; group < 16; group++) {
        let sum = 0;
        for (let i = 0; i < 16; i++) sum += block.getInt8(4 + 16 * group + i);
        block.setInt16(260 + 2 * group, sum, true);
      }
    },
    value: (block, i) => block.getFloat32(0, true) * block.getInt8(4 + i),
  },
  F32: {
    name: 'F32',
    type: 0,
    bytes: 4,
    length: 1,
    fill: (block, dice, kind) => block.setFloat32(0, randomFloat(dice, kind), true),
    value: (block) => block.getFloat32(0, true),
  },
  F16: WEIGHTS.F16,
  BF16: WEIGHTS.BF16,
} satisfies Record<string, Format>;

/** The weights and the activations that the kernels multiply. */
export const PAIRS: [Format, Format][] = [
  [WEIGHTS.Q8_0, ACTIVATIONS.Q8_0],
  [WEIGHTS.Q5_0, ACTIVATIONS.Q8_0],
  [WEIGHTS.Q4_0, ACTIVATIONS.Q8_0],
  [WEIGHTS.Q4_K, ACTIVATIONS.Q8_K],
  [WEIGHTS.Q5_K, ACTIVATIONS.Q8_K],
  [WEIGHTS.Q6_K, ACTIVATIONS.Q8_K],
  [WEIGHTS.F16, ACTIVATIONS.F32],
  [WEIGHTS.F16, ACTIVATIONS.F16],
  [WEIGHTS.BF16, ACTIVATIONS.F32],
  [WEIGHTS.BF16, ACTIVATIONS.BF16],
];

/** Rows of blocks in one buffer, with a gap between the rows that is filled with other bytes. */
export interface Matrix {
  format: Format;
  bytes: Uint8Array;
  rows: number;
  /** Blocks of a row, and from the start of one row to that of the next. */
  blocks: number;
  stride: number;
}

export function randomMatrix(
  format: Format,
  dice: Dice,
  shape: { rows: number; blocks: number; gap: number; kind: Kind },
): Matrix {
  const { rows, blocks, gap, kind } = shape;
  const stride = blocks + gap;
  const bytes = new Uint8Array(rows * stride * format.bytes).fill(0xff);
  for (let row = 0; row < rows; row++) {
    // Some rows are nothing but zeros.
    if (dice.chance(0.05)) {
      bytes.fill(0, row * stride * format.bytes, (row * stride + blocks) * format.bytes);
      continue;
    }
    for (let block = 0; block < blocks; block++) format.fill(blockOf(format, bytes, row * stride + block), dice, kind);
  }
  return { format, bytes, rows, blocks, stride };
}

const blockOf = (format: Format, bytes: Uint8Array, index: number) =>
  new DataView(bytes.buffer, index * format.bytes, format.bytes);

/** Decodes a row: its numbers, and their sizes. */
export function decodeRow(matrix: Matrix, row: number): { values: Float64Array; sizes: Float64Array } {
  const { format, bytes, blocks, stride } = matrix;
  const values = new Float64Array(blocks * format.length);
  const sizes = new Float64Array(values.length);
  for (let block = 0; block < blocks; block++) {
    const view = blockOf(format, bytes, row * stride + block);
    for (let i = 0; i < format.length; i++) {
      const value = format.value(view, i);
      values[block * format.length + i] = value;
      sizes[block * format.length + i] = format.size?.(view, i) ?? Math.abs(value);
    }
  }
  return { values, sizes };
}
