/** A metadata value that is not a list. */
export type Scalar = string | number | boolean;

/**
 * A metadata value. A long array, such as the vocabulary, is not kept, only its length and its position in the file.
 */
export type GgufValue = Scalar | Scalar[] | LongArray;

/** `position` is the offset of the first item, in bytes from the beginning of the file. */
export interface LongArray {
  length: number;
  position: number;
}

/**
 * Reads a header's metadata by type. A field that is missing or has another type gives undefined, false, 0 or an empty
 * list.
 */
export interface Fields {
  text(key: string): string | undefined;
  /** A number; the largest one if the field is a list. */
  number(key: string): number | undefined;
  flag(key: string): boolean;
  /** Like `flag`, but tells a missing field from one that is false. */
  boolean(key: string): boolean | undefined;
  /** The items of a list, or a single value as a list. */
  numbers(key: string): number[];
  texts(key: string): string[];
  /** The items of a list of booleans, or of numbers of which 0 is false. */
  switches(key: string): boolean[];
  /** The length of a list. */
  length(key: string): number;
}

/** Makes the typed access to a header's metadata. */
export function createFields(fields: Map<string, GgufValue>): Fields {
  const listOf = (key: string): unknown[] => {
    const value = fields.get(key);
    return Array.isArray(value) ? value : [value];
  };
  const numbers = (key: string) => listOf(key).filter((item) => typeof item === 'number');
  const texts = (key: string) => listOf(key).filter((item) => typeof item === 'string' && item !== '') as string[];
  return {
    text: (key) => texts(key)[0],
    number(key) {
      const found = numbers(key);
      return found.length === 0 ? undefined : Math.max(...found);
    },
    flag: (key) => fields.get(key) === true,
    boolean(key) {
      const value = fields.get(key);
      return typeof value === 'boolean' ? value : undefined;
    },
    numbers,
    texts,
    switches: (key) =>
      listOf(key).flatMap((item) => (typeof item === 'boolean' || typeof item === 'number' ? [Boolean(item)] : [])),
    length(key) {
      const value = fields.get(key);
      return typeof value === 'object' ? value.length : 0;
    },
  };
}
