import type { Dice } from '../../kit/dice.ts';
import { ARRAY, FIELD_COUNT_AT, type GgufLayout, readLayout, STRING, TENSOR_COUNT_AT } from './gguf-layout.ts';

/** A changed copy of a GGUF file, and a description of the change for people. */
export interface Mutant {
  file: Buffer;
  change: string;
}

type Change = (file: Buffer, layout: GgufLayout, dice: Dice) => string;

/** Changes one part of the header of a valid GGUF file, rarely two or three. The original buffer stays unchanged. */
export function mutateGguf(original: Buffer, dice: Dice): Mutant {
  const layout = readLayout(original);
  const file = Buffer.from(original);
  const changes = Array.from({ length: dice.chance(0.1) ? 2 + dice.below(2) : 1 }, () => {
    return dice.weighted(CHANGES).change(file, layout, dice);
  });
  if (dice.chance(0.03)) {
    const length = dice.below(file.length);
    return { file: file.subarray(0, length), change: [...changes, `cut off after ${length} bytes`].join('; ') };
  }
  return { file, change: changes.join('; ') };
}

const CHANGES: { weight: number; change: Change }[] = [
  { weight: 8, change: changeNumber },
  { weight: 2, change: changeType },
  { weight: 2, change: changeLength },
  { weight: 3, change: changeText },
  { weight: 2, change: changeItem },
  { weight: 1, change: changeKey },
  { weight: 1, change: changeCount },
  { weight: 4, change: changeTensor },
  { weight: 3, change: changeBits },
];

const INTEGERS = [0, 1, 2, 3, 7, 255, 256, 4096, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const FLOATS = [0, -0, -1, 1, 1e-38, 1e38, Number.NaN, Number.POSITIVE_INFINITY];
const TEXTS = [
  '',
  'llama',
  'qwen2',
  'bert',
  'rwkv',
  'none',
  'no_vocab',
  'gpt2',
  'default',
  '{%',
  '{% for x in range(9) %}x',
  '\0',
  '%s%n',
];

/** Changes the value of a number or a flag. */
function changeNumber(file: Buffer, { fields }: GgufLayout, dice: Dice): string {
  const field = dice.pick(fields.filter(({ type }) => type !== STRING && type !== ARRAY));
  if (field.type === 6) {
    const value = dice.pick(FLOATS);
    file.writeFloatLE(value, field.valueAt);
    return `${field.key} = ${value}`;
  }
  const value = dice.pick(INTEGERS);
  for (let byte = 0; byte < field.length; byte++)
    file[field.valueAt + byte] = Math.floor(value / 2 ** (8 * byte)) & 0xff;
  return `${field.key} = ${value}`;
}

function changeType(file: Buffer, { fields }: GgufLayout, dice: Dice): string {
  const field = dice.pick(fields);
  const type = dice.chance(0.8) ? dice.below(14) : dice.pick(INTEGERS);
  file.writeUInt32LE(type, field.typeAt);
  return `type of ${field.key} = ${type}`;
}

/** Changes the length of a text, or the number of items of an array. */
function changeLength(file: Buffer, { fields }: GgufLayout, dice: Dice): string {
  const field = dice.pick(fields.filter(({ type }) => type === STRING || type === ARRAY));
  const at = field.type === STRING ? field.valueAt : field.valueAt + 4;
  return `length of ${field.key} ${writeLength(file, at, dice)}`;
}

/** Changes the bytes of a text: pads it with spaces or cuts it to its length. */
function changeText(file: Buffer, { fields }: GgufLayout, dice: Dice): string {
  const field = dice.pick(fields.filter(({ type, length }) => type === STRING && length > 8));
  const start = field.valueAt + 8;
  const length = field.length - 8;
  if (dice.chance(0.5)) {
    const at = start + dice.below(length);
    file[at] = dice.below(256);
    return `byte ${at - start} of ${field.key} = ${file[at]}`;
  }
  const text = dice.pick(TEXTS);
  file.fill(0x20, start, start + length);
  file.write(text.slice(0, length), start);
  return `${field.key} = ${JSON.stringify(text)}`;
}

/** Changes some bytes within an array, such as the text or the score of a token. */
function changeItem(file: Buffer, { fields }: GgufLayout, dice: Dice): string {
  const field = dice.pick(fields.filter(({ type, length }) => type === ARRAY && length > 16));
  const at = field.valueAt + 12 + dice.below(field.length - 16);
  const from = field.valueAt + 12 + dice.below(field.length - 16);
  const length = 1 + dice.below(4);
  file.copy(file, at, from, from + length);
  return `${length} bytes at ${at - field.valueAt} of ${field.key} from ${from - field.valueAt}`;
}

function changeKey(file: Buffer, { fields }: GgufLayout, dice: Dice): string {
  const field = dice.pick(fields);
  const at = field.keyAt + 8 + dice.below(field.key.length);
  file[at] = dice.chance(0.5) ? 0x78 : dice.below(256);
  return `key ${field.key} with ${file[at]} at ${at - field.keyAt - 8}`;
}

/** Changes the version, or the number of fields or tensors. */
function changeCount(file: Buffer, _: GgufLayout, dice: Dice): string {
  const { name, at } = dice.pick([
    { name: 'fields', at: FIELD_COUNT_AT },
    { name: 'tensors', at: TENSOR_COUNT_AT },
  ]);
  if (dice.chance(0.2)) {
    const version = dice.below(6);
    file.writeUInt32LE(version, 4);
    return `version ${version}`;
  }
  return `number of ${name} ${writeLength(file, at, dice)}`;
}

function changeTensor(file: Buffer, { tensors }: GgufLayout, dice: Dice): string {
  const tensor = dice.pick(tensors);
  switch (dice.below(5)) {
    case 0:
      return `a dimension of ${tensor.name} ${writeLength(file, dice.pick(tensor.dimensionsAt), dice)}`;
    case 1: {
      const count = dice.pick([0, 1, 2, 3, 4, 5, 2 ** 31]);
      file.writeUInt32LE(count, tensor.dimensionCountAt);
      return `${count} dimensions of ${tensor.name}`;
    }
    case 2: {
      const type = dice.below(45);
      file.writeUInt32LE(type, tensor.typeAt);
      return `type of ${tensor.name} = ${type}`;
    }
    case 3:
      return `offset of ${tensor.name} ${writeLength(file, tensor.offsetAt, dice)}`;
    default: {
      const at = tensor.nameAt + 8 + dice.below(tensor.name.length);
      file[at] = dice.below(256);
      return `name of ${tensor.name} with ${file[at]} at ${at - tensor.nameAt - 8}`;
    }
  }
}

function changeBits(file: Buffer, { end }: GgufLayout, dice: Dice): string {
  const places = Array.from({ length: 1 + dice.below(3) }, () => {
    const at = dice.below(end);
    const bit = dice.below(8);
    file[at] = (file[at] ?? 0) ^ (1 << bit);
    return `${at}.${bit}`;
  });
  return `bits ${places.join(', ')}`;
}

/** Writes another 64-bit length: a little more or less, or far too large. */
function writeLength(file: Buffer, at: number, dice: Dice): string {
  const before = file.readBigUInt64LE(at);
  const after = dice.pick([
    before + 1n,
    before - 1n,
    before * 2n,
    before + 32n,
    0n,
    1n,
    2n ** 20n,
    2n ** 32n,
    2n ** 62n,
    2n ** 64n - 1n,
  ]);
  file.writeBigUInt64LE(BigInt.asUintN(64, after), at);
  return `${before} -> ${after}`;
}
