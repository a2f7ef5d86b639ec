/** Returns the median; the upper one of the two for an even number of values, and NaN for none. */
export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Writes the median and, in brackets, the range. */
export function spread(numbers: number[], digits = 0): string {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((value) => value.toFixed(digits));
  return `${median(numbers).toFixed(digits)} (${least}-${most})`;
}
