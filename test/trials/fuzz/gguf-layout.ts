/** The byte offsets of the parts of a GGUF file. */
export interface GgufLayout {
  fields: Field[];
  tensors: TensorInfo[];
  /** The first byte after the list of tensors. */
  end: number;
}

interface Field {
  key: string;
  keyAt: number;
  /** GGUF's number of the value's type. */
  type: number;
  typeAt: number;
  valueAt: number;
  /** Length of the value in bytes. */
  length: number;
}

interface TensorInfo {
  name: string;
  nameAt: number;
  dimensionCountAt: number;
  /** Each a 64-bit number. */
  dimensionsAt: number[];
  typeAt: number;
  offsetAt: number;
}

export const STRING = 8;
export const ARRAY = 9;
/** Bytes of the types of fixed length. */
const SIZES: Record<number, number> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
/** After the magic number, the version and the two counts. */
const HEAD_BYTES = 24;
export const TENSOR_COUNT_AT = 8;
export const FIELD_COUNT_AT = 16;

/** Finds the parts of a valid GGUF v3 file, little endian. Throws on an unknown type. */
export function readLayout(file: Buffer): GgufLayout {
  let at = HEAD_BYTES;
  const length64 = (from: number) => Number(file.readBigUInt64LE(from));
  const skipText = () => {
    const start = at + 8;
    at = start + length64(at);
    return file.toString('utf8', start, at);
  };
  const skipValue = (type: number) => {
    if (type === STRING) {
      skipText();
    } else if (type === ARRAY) {
      const inner = file.readUInt32LE(at);
      const count = length64(at + 4);
      at += 12;
      if (inner === STRING) for (let index = 0; index < count; index++) skipText();
      else at += count * sizeOf(inner);
    } else {
      at += sizeOf(type);
    }
  };
  const fields = Array.from({ length: length64(FIELD_COUNT_AT) }, (): Field => {
    const keyAt = at;
    const key = skipText();
    const typeAt = at;
    const type = file.readUInt32LE(at);
    at += 4;
    const valueAt = at;
    skipValue(type);
    return { key, keyAt, type, typeAt, valueAt, length: at - valueAt };
  });
  const tensors = Array.from({ length: length64(TENSOR_COUNT_AT) }, (): TensorInfo => {
    const nameAt = at;
    const name = skipText();
    const dimensionCountAt = at;
    const count = file.readUInt32LE(at);
    const dimensionsAt = Array.from({ length: count }, (_, index) => dimensionCountAt + 4 + 8 * index);
    const typeAt = dimensionCountAt + 4 + 8 * count;
    at = typeAt + 12;
    return { name, nameAt, dimensionCountAt, dimensionsAt, typeAt, offsetAt: typeAt + 4 };
  });
  return { fields, tensors, end: at };
}

function sizeOf(type: number): number {
  const size = SIZES[type];
  if (size === undefined) throw new Error(`a value of the unknown type ${type}`);
  return size;
}
