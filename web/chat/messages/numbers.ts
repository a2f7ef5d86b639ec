import { formatBytes as writeBytes } from '../../../src/utils/bytes.ts';

// How a language writes numbers. `tag` is the language, as `Intl` knows it.

/** Writes a number with so many decimals; without `decimals`, with those that it has. */
export function formatNumber(value: number, tag: string, decimals?: number): string {
  const digits = decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(tag, digits).format(value);
}

/** Writes a number of bytes for people: `4.7 GB`. The units are the same in all languages. */
export function formatBytes(bytes: number, tag: string): string {
  const [digits = '', unit] = writeBytes(bytes).split(' ');
  const decimals = digits.split('.')[1]?.length ?? 0;
  return `${formatNumber(Number(digits), tag, decimals)} ${unit}`;
}

/** Writes a large number in short: `1.2M`. */
export function formatCount(count: number, tag: string): string {
  return new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 }).format(count);
}

/** Writes the items of a list in a sentence: `a, b and c`, or `a, b or c`. */
export function formatList(items: string[], tag: string, type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return new Intl.ListFormat(tag, { type }).format(items);
}
