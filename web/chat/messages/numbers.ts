import { formatBytes as writeBytes } from '../../../src/utils/bytes.ts';

// Numbers in the notation of a language. `tag` is its language tag for `Intl`.

/** Returns a number as text, with this number of decimals, or with its own decimals. */
export function localizeNumber(value: number, tag: string, decimals?: number): string {
  const digits = decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(tag, digits).format(value);
}

/** Returns a number of bytes as text: `4.7 GB`. The units are the same in all languages. */
export function localizeBytes(bytes: number, tag: string): string {
  const [digits = '', unit] = writeBytes(bytes).split(' ');
  const decimals = digits.split('.')[1]?.length ?? 0;
  return `${localizeNumber(Number(digits), tag, decimals)} ${unit}`;
}

/** Returns a large number in short form: `1.2M`. */
export function localizeCount(count: number, tag: string): string {
  return new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 }).format(count);
}

/** Returns the items of a list as text: `a, b and c`, or `a, b or c`. */
export function localizeList(
  items: string[],
  tag: string,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string {
  return new Intl.ListFormat(tag, { type }).format(items);
}
