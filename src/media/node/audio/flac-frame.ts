import { broken } from '../../problem.ts';
import { BitReader } from './bit-reader.ts';

/** The figures of the header of a FLAC. */
export interface StreamInfo {
  rate: number;
  bits: number;
}

/** The samples of a frame, channel by channel, and the position of the byte after it. */
export interface FlacFrame {
  channels: Int32Array[];
  rate: number;
  bits: number;
  end: number;
}

/** Rates in Hz and sample sizes by their codes: https://www.rfc-editor.org/rfc/rfc9639#section-9.1 */
const RATES = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
const SIZES = [0, 8, 12, 0, 16, 20, 24, 32];

/** The two bytes that begin a frame of blocks of one size or of several sizes, and what follows: all without the last bit. */
const SYNC = 0xfff8 >> 1;

/** Channels that are stored as a difference. */
const LEFT_SIDE = 8;
const SIDE_RIGHT = 9;
const MID_SIDE = 10;

/** The coefficients of the fixed predictors. */
const FIXED = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];

/** True if a frame may begin there. */
export function isFrame(bytes: Uint8Array, at: number): boolean {
  return (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) >> 1 === SYNC;
}

/** Decodes the frame at a position. Throws a `MediaProblem` if it is broken. */
export function readFrame(bytes: Uint8Array, at: number, info: StreamInfo): FlacFrame {
  if (!isFrame(bytes, at)) throw broken(`is a broken FLAC: no frame begins at byte ${at}.`);
  const reader = new BitReader(bytes, at + 2);
  const sizeCode = reader.read(4);
  const rateCode = reader.read(4);
  const assignment = reader.read(4);
  const bitsCode = reader.read(3);
  reader.read(1);
  // The number of the frame is coded as in UTF-8.
  for (let more = Math.clz32(~(reader.read(8) << 24)); more > 1; more--) reader.read(8);
  const length = blockSize(sizeCode, reader);
  const rate = rateOf(rateCode, reader) || info.rate;
  const bits = SIZES[bitsCode] || info.bits;
  reader.read(8);
  if (assignment > MID_SIDE || rate === 0 || bits > 24 || length === 0)
    throw broken(`is a FLAC with a frame that is not known here (${assignment}, ${rate} Hz, ${bits} bits).`);
  const count = assignment < LEFT_SIDE ? assignment + 1 : 2;
  if (count > 2) throw broken(`has ${count} channels: only mono and stereo are taken.`);
  const channels = Array.from({ length: count }, (_, index) => {
    const isSide = assignment === SIDE_RIGHT ? index === 0 : assignment >= LEFT_SIDE && index === 1;
    return readSubframe(reader, length, bits + (isSide ? 1 : 0));
  });
  restore(channels, assignment);
  const end = reader.align() + 2;
  return { channels, rate, bits, end };
}

function blockSize(code: number, reader: BitReader): number {
  if (code === 1) return 192;
  if (code >= 2 && code <= 5) return 576 << (code - 2);
  if (code === 6) return reader.read(8) + 1;
  if (code === 7) return reader.read(16) + 1;
  return code >= 8 ? 256 << (code - 8) : 0;
}

function rateOf(code: number, reader: BitReader): number {
  if (code === 12) return 1000 * reader.read(8);
  if (code === 13) return reader.read(16);
  if (code === 14) return 10 * reader.read(16);
  return RATES[code] ?? 0;
}

function readSubframe(reader: BitReader, length: number, bits: number): Int32Array {
  reader.read(1);
  const type = reader.read(6);
  const wasted = reader.read(1) === 1 ? reader.readZeros() + 1 : 0;
  const size = bits - wasted;
  if (size < 1) throw broken('is a broken FLAC: a frame wastes all bits.');
  const samples = new Int32Array(length);
  if (type === 0) samples.fill(reader.readSigned(size));
  else if (type === 1) for (let index = 0; index < length; index++) samples[index] = reader.readSigned(size);
  else if (type >= 8 && type <= 12) predict(samples, reader, size, FIXED[type - 8] ?? [], 0);
  else if (type >= 32) predict(samples, reader, size, null, type - 31);
  else throw broken(`is a broken FLAC: a frame has the unknown kind ${type}.`);
  if (wasted > 0) for (let index = 0; index < length; index++) samples[index] = (samples[index] ?? 0) << wasted;
  return samples;
}

/** Reads samples of which a predictor's error is stored. The coefficients are `fixed`, or are read: `order` of them. */
function predict(samples: Int32Array, reader: BitReader, size: number, fixed: number[] | null, order: number): void {
  const count = fixed?.length ?? order;
  if (count > samples.length) throw broken('is a broken FLAC: a frame is shorter than its predictor.');
  for (let index = 0; index < count; index++) samples[index] = reader.readSigned(size);
  let coefficients = fixed;
  let shift = 0;
  if (!coefficients) {
    const precision = reader.read(4) + 1;
    shift = reader.readSigned(5);
    if (precision > 15 || shift < 0) throw broken('is a broken FLAC: a predictor has no valid precision.');
    coefficients = Array.from({ length: count }, () => reader.readSigned(precision));
  }
  readErrors(samples, reader, count);
  const scale = 2 ** shift;
  for (let index = count; index < samples.length; index++) {
    let sum = 0;
    for (let back = 0; back < count; back++) sum += (coefficients[back] ?? 0) * (samples[index - 1 - back] ?? 0);
    samples[index] = (samples[index] ?? 0) + Math.floor(sum / scale);
  }
}

/** Reads the errors of the predictor, in Rice codes, to the place of their samples. */
function readErrors(samples: Int32Array, reader: BitReader, count: number): void {
  const parameterBits = 4 + reader.read(2);
  if (parameterBits > 5) throw broken('is a broken FLAC: its errors have an unknown code.');
  const partitions = 1 << reader.read(4);
  const each = samples.length / partitions;
  if (!Number.isInteger(each) || each < count) throw broken('is a broken FLAC: its partitions do not fit.');
  for (let partition = 0; partition < partitions; partition++)
    readPartition(samples, reader, parameterBits, partition === 0 ? count : partition * each, (partition + 1) * each);
}

/** Reads the errors from one sample to another. The highest parameter means that they are stored as numbers of equal length. */
function readPartition(samples: Int32Array, reader: BitReader, parameterBits: number, from: number, to: number): void {
  const parameter = reader.read(parameterBits);
  if (parameter === (1 << parameterBits) - 1) {
    const bits = reader.read(5);
    for (let index = from; index < to; index++) samples[index] = bits === 0 ? 0 : reader.readSigned(bits);
    return;
  }
  const unit = 2 ** parameter;
  for (let index = from; index < to; index++) {
    const value = reader.readZeros() * unit + reader.read(parameter);
    samples[index] = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** Turns differences of two channels into the channels. */
function restore([first, second]: Int32Array[], assignment: number): void {
  if (!first || !second || assignment < LEFT_SIDE) return;
  for (let index = 0; index < first.length; index++) {
    const [a, b] = [first[index] ?? 0, second[index] ?? 0];
    if (assignment === LEFT_SIDE) second[index] = a - b;
    else if (assignment === SIDE_RIGHT) first[index] = a + b;
    else {
      const mid = 2 * a + (b & 1);
      first[index] = (mid + b) >> 1;
      second[index] = (mid - b) >> 1;
    }
  }
}
