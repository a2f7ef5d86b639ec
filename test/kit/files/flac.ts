/** How the samples of a FLAC are stored. */
export type FlacKind = 'verbatim' | 'fixed' | 'lpc' | 'constant';

export interface FlacOptions {
  rate?: number;
  kind?: FlacKind;
  /** Stores the second of two channels as a difference: the codes of FLAC. By default each channel stands for itself. */
  assignment?: 8 | 9 | 10;
  /** The number of samples that the header tells. The default is the right one. */
  declared?: number;
}

const BLOCK = 4096;
const BITS = 16;

/** Makes a FLAC of channels with samples of 16 bits. */
export function makeFlac(channels: Int16Array[], options: FlacOptions = {}): Buffer {
  const { rate = 16_000, declared = channels[0]?.length ?? 0 } = options;
  const info = createBits();
  info.write(0x664c6143, 32);
  info.write(0x80, 8);
  info.write(34, 24);
  info.write(BLOCK, 16);
  info.write(BLOCK, 16);
  info.write(0, 48);
  info.write(rate, 20);
  info.write(channels.length - 1, 3);
  info.write(BITS - 1, 5);
  info.write(declared, 36);
  for (let index = 0; index < 16; index++) info.write(0, 8);
  const frames: Buffer[] = [];
  const length = channels[0]?.length ?? 0;
  for (let at = 0; at < length; at += BLOCK) {
    const block = channels.map((channel) => [...channel.subarray(at, at + BLOCK)]);
    frames.push(makeFrame(block, at / BLOCK, options));
  }
  return Buffer.concat([info.bytes(), ...frames]);
}

function makeFrame(channels: number[][], number: number, { kind = 'verbatim', assignment }: FlacOptions): Buffer {
  const bits = createBits();
  bits.write(0xfff8, 16);
  // The length follows the number of the frame; the rate is that of the header.
  bits.write(7, 4);
  bits.write(0, 4);
  bits.write(assignment ?? channels.length - 1, 4);
  bits.write(4, 3);
  bits.write(0, 1);
  if (number < 128) bits.write(number, 8);
  else bits.write(0xc080 | ((number >> 6) << 8) | (number & 63), 16);
  bits.write((channels[0]?.length ?? 0) - 1, 16);
  bits.write(0, 8);
  for (const [index, channel] of differences(channels, assignment).entries()) {
    const isSide = assignment === 9 ? index === 0 : assignment !== undefined && index === 1;
    writeSubframe(bits, channel, BITS + (isSide ? 1 : 0), kind);
  }
  bits.align();
  bits.write(0, 16);
  return bits.bytes();
}

function differences([left = [], right = [], ...others]: number[][], assignment: number | undefined): number[][] {
  const side = left.map((sample, index) => sample - (right[index] ?? 0));
  if (assignment === 8) return [left, side];
  if (assignment === 9) return [side, right];
  if (assignment === 10) return [left.map((sample, index) => (sample + (right[index] ?? 0)) >> 1), side];
  return right.length > 0 ? [left, right, ...others] : [left];
}

/** The predictor of the kinds `fixed` and `lpc`, which is a line through the last two samples. */
const ORDER = 2;
const RICE = 8;

function writeSubframe(bits: Bits, samples: number[], size: number, kind: FlacKind): void {
  bits.write({ constant: 0, verbatim: 1, fixed: 8 + ORDER, lpc: 31 + ORDER }[kind] << 1, 8);
  if (kind === 'constant') {
    bits.write(samples[0] ?? 0, size);
    return;
  }
  if (kind === 'verbatim') {
    for (const sample of samples) bits.write(sample, size);
    return;
  }
  for (const sample of samples.slice(0, ORDER)) bits.write(sample, size);
  if (kind === 'lpc') {
    // Coefficients of 8 bits that are divided by 16: 2 and -1.
    bits.write(7, 4);
    bits.write(4, 5);
    bits.write(32, 8);
    bits.write(-16, 8);
  }
  bits.write(0, 6);
  bits.write(RICE, 4);
  for (let index = ORDER; index < samples.length; index++) {
    const error = (samples[index] ?? 0) - 2 * (samples[index - 1] ?? 0) + (samples[index - 2] ?? 0);
    const value = error >= 0 ? 2 * error : -2 * error - 1;
    for (let zeros = value >> RICE; zeros > 0; zeros--) bits.write(0, 1);
    bits.write(1, 1);
    bits.write(value & (2 ** RICE - 1), RICE);
  }
}

interface Bits {
  /** Writes the lowest bits of a whole number, the highest of them first. */
  write(value: number, count: number): void;
  align(): void;
  bytes(): Buffer;
}

function createBits(): Bits {
  const whole: number[] = [];
  // The last bits, fewer than 8 of them after each write.
  let [rest, length] = [0, 0];
  const write = (value: number, count: number) => {
    rest = rest * 2 ** count + (value < 0 ? value + 2 ** count : value);
    length += count;
    while (length >= 8) {
      length -= 8;
      const byte = Math.floor(rest / 2 ** length);
      whole.push(byte);
      rest -= byte * 2 ** length;
    }
  };
  return {
    write,
    align: () => write(0, (8 - length) % 8),
    bytes: () => Buffer.from(whole),
  };
}
