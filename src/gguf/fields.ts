export type Scalar = string | number | boolean;

/** A metadata value. Long arrays, such as the vocabulary, are not kept: of them only the length is known, and where they begin. */
export type GgufValue = Scalar | Scalar[] | LongArray;

/** `position` is that of its first item, in bytes from the beginning of the file. */
export interface LongArray {
  length: number;
  position: number;
}

/** A header's metadata by type; what is absent or of another type is undefined or empty. */
export interface Fields {
  text(key: string): string | undefined;
  /** Of a list, the largest. */
  number(key: string): number | undefined;
  flag(key: string): boolean;
  /** A list's items, or the one value. */
  numbers(key: string): number[];
  texts(key: string): string[];
  /** Of a list. */
  length(key: string): number;
}

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
    numbers,
    texts,
    length(key) {
      const value = fields.get(key);
      return typeof value === 'object' ? value.length : 0;
    },
  };
}
