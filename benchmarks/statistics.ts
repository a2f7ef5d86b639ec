/** Returns the median: the upper of the two middle values for an even number of values, and NaN for none. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Returns the median and, in brackets, the range as text. */
export function spread(numbers: readonly number[], digits = 0): string {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((value) => value.toFixed(digits));
  return `${median(numbers).toFixed(digits)} (${least}-${most})`;
}

/** Returns the value that `share` (0 to 1) of the numbers do not exceed; null for no numbers. */
export function percentile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? sorted[0] ?? null;
}

/** Returns the median without the nulls; null if there are no numbers. */
export function medianOf(numbers: readonly (number | null)[]): number | null {
  const measured = numbers.filter((number) => number !== null);
  return measured.length === 0 ? null : median(measured);
}

/**
 * Returns the median of `own / other`, pair by pair: both values of a pair are measured in immediate succession, so a
 * machine that gets slower during the run slows down both. Null if there is no complete pair.
 */
export function pairedRatio(own: readonly (number | null)[], other: readonly (number | null)[]): number | null {
  return medianOf(
    own.map((value, round) => {
      const against = other[round] ?? null;
      return value === null || against === null || against === 0 ? null : value / against;
    }),
  );
}

/** Returns the order in which `count` endpoints are measured in a round. Each round starts with another endpoint. */
export function turns(count: number, round: number): number[] {
  return Array.from({ length: count }, (_, index) => (index + round) % count);
}
