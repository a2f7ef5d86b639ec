import { createFields, type GgufValue, type Scalar } from './fields.ts';
import { type ByteSource, FileReader, IncompleteFile } from './file-reader.ts';
import { tensorBytes } from './ggml-types.ts';
import { addTensor, noTensors, type TensorBytes } from './tensor-bytes.ts';

/** The header of a GGUF: everything before the data of the tensors. */
export interface GgufHeader {
  fields: Map<string, GgufValue>;
  tensorCount: number;
  /** The number of elements of all tensors together. */
  parameterCount: number;
  tensors: TensorBytes;
  /** The header's length in bytes. */
  bytes: number;
}

/** GGUF's numbers for types of values. */
const TEXT = 8;
const ARRAY = 9;

/** Models are far below these limits. A header above them is broken or malicious. */
const MOST_FIELDS = 65_536;
const MOST_TENSORS = 1_000_000;
const MOST_HEADER_BYTES = 64 * 1024 * 1024;
const LONGEST_TEXT = 1024 * 1024;
const MOST_DIMENSIONS = 8;
/** Longer arrays are skipped. Arrays that describe a model have one item for each layer, label or language. */
const LONGEST_KEPT_ARRAY = 256;
const DEFAULT_ALIGNMENT = 32;

/**
 * Reads the header of a GGUF, and hardly any byte after it. Throws `IncompleteFile` if the file is shorter than its
 * tensors need, and a plain error with the reason if llama.cpp could not load it.
 */
export async function readGgufHeader(source: ByteSource): Promise<GgufHeader> {
  const reader = new FileReader(source);
  const { tensorCount, fieldCount } = await reader.attempt(() => readPreamble(reader));
  const fields = await readFields(reader, fieldCount);
  const { parameterCount, tensors } = await readTensors(reader, tensorCount, fields);
  return { fields, tensorCount, parameterCount, tensors, bytes: reader.position };
}

function readPreamble(reader: FileReader): { tensorCount: number; fieldCount: number } {
  if (reader.text(4) !== 'GGUF') throw new Error('the file is no GGUF');
  const version = reader.uint32();
  if (version === 0x02000000 || version === 0x03000000) throw new Error('the GGUF is big-endian');
  if (version !== 2 && version !== 3) throw new Error(`the GGUF is of the unknown version ${version}`);
  const tensorCount = reader.uint64();
  const fieldCount = reader.uint64();
  if (tensorCount > MOST_TENSORS) throw new Error(`the header claims ${tensorCount} tensors`);
  if (fieldCount > MOST_FIELDS) throw new Error(`the header claims ${fieldCount} fields`);
  return { tensorCount, fieldCount };
}

async function readFields(reader: FileReader, count: number): Promise<GgufHeader['fields']> {
  const fields: GgufHeader['fields'] = new Map();
  for (let field = 0; field < count; field++) {
    const { key, type, items } = await reader.attempt(() => {
      const key = readGgufText(reader);
      const type = reader.uint32();
      return type === ARRAY ? { key, type: reader.uint32(), items: reader.uint64() } : { key, type, items: null };
    });
    if (items === null) fields.set(key, await reader.attempt(() => readScalar(reader, type)));
    else fields.set(key, await readArray(reader, type, items));
    checkPosition(reader);
  }
  return fields;
}

async function readArray(reader: FileReader, type: number, length: number): Promise<GgufValue> {
  if (length <= LONGEST_KEPT_ARRAY) {
    return reader.attempt(() => Array.from({ length }, () => readScalar(reader, type)));
  }
  const { position } = reader;
  if (type === TEXT) await skipTexts(reader, length);
  else reader.skip(length * scalarOf(type).bytes);
  return { length, position };
}

/** Skips texts in portions, since an attempt that reaches the end of its chunk starts again. */
async function skipTexts(reader: FileReader, count: number): Promise<void> {
  for (let left = count; left > 0; ) {
    left -= await reader.attempt(() => {
      const portion = Math.min(left, 1024);
      for (let text = 0; text < portion; text++) reader.skip(reader.uint64());
      return portion;
    });
    checkPosition(reader);
  }
}

/** Counts the parameters and bytes. Throws `IncompleteFile` if the data of a tensor lies beyond the end of the file. */
async function readTensors(
  reader: FileReader,
  count: number,
  fields: GgufHeader['fields'],
): Promise<Pick<GgufHeader, 'parameterCount' | 'tensors'>> {
  const tensors = noTensors();
  let parameterCount = 0;
  let dataEnd = 0;
  for (let tensor = 0; tensor < count; tensor++) {
    const { name, elements, bytes, end } = await reader.attempt(() => readTensor(reader));
    parameterCount += elements;
    addTensor(tensors, name, bytes);
    dataEnd = Math.max(dataEnd, end);
    checkPosition(reader);
  }
  if (!Number.isSafeInteger(parameterCount)) throw new Error(`the header claims ${parameterCount} parameters`);
  const alignment = createFields(fields).number('general.alignment') || DEFAULT_ALIGNMENT;
  const expected = Math.ceil(reader.position / alignment) * alignment + dataEnd;
  if (dataEnd > 0 && expected > reader.size) throw new IncompleteFile(reader.size, expected);
  return { parameterCount, tensors };
}

/** A tensor: its size, and the end of its data in bytes from the beginning of all data. */
interface Tensor {
  name: string;
  elements: number;
  bytes: number;
  end: number;
}

function readTensor(reader: FileReader): Tensor {
  const name = readGgufText(reader);
  const dimensions = reader.uint32();
  if (dimensions > MOST_DIMENSIONS) throw new Error(`the header has a tensor of ${dimensions} dimensions`);
  let elements = 1;
  for (let dimension = 0; dimension < dimensions; dimension++) elements *= reader.uint64();
  const type = reader.uint32();
  const bytes = tensorBytes(type, elements);
  return { name, elements, bytes, end: reader.uint64() + bytes };
}

/**
 * Reads a text: its length in bytes, then UTF-8. Throws `IncompleteFile` if the file ends before the text, and a plain
 * error if the text is too long.
 */
export function readGgufText(reader: FileReader): string {
  const length = reader.uint64();
  if (reader.position + length > reader.size) throw new IncompleteFile(reader.size, reader.position + length);
  if (length > LONGEST_TEXT) throw new Error(`the header has a text of ${length} bytes`);
  return reader.text(length);
}

/** Reads a text, number or boolean of a GGUF type. Throws for an unknown type. */
export function readScalar(reader: FileReader, type: number): Scalar {
  if (type === TEXT) return readGgufText(reader);
  const { bytes, read } = scalarOf(type);
  return reader.number(bytes, read);
}

/** Numbers and booleans, by GGUF's numbers of their types. */
const SCALARS: Record<number, { bytes: number; read: (view: DataView, at: number) => number | boolean }> = {
  0: { bytes: 1, read: (view, at) => view.getUint8(at) },
  1: { bytes: 1, read: (view, at) => view.getInt8(at) },
  2: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  3: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  4: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  5: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  6: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  7: { bytes: 1, read: (view, at) => view.getUint8(at) !== 0 },
  10: { bytes: 8, read: (view, at) => Number(view.getBigUint64(at, true)) },
  11: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  12: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
};

/** Throws for an array within an array too: no model has one. */
function scalarOf(type: number) {
  const scalar = SCALARS[type];
  if (!scalar) throw new Error(`the header has a value of the unknown type ${type}`);
  return scalar;
}

function checkPosition(reader: FileReader): void {
  if (reader.position > MOST_HEADER_BYTES) throw new Error(`the header is longer than ${MOST_HEADER_BYTES} bytes`);
}
