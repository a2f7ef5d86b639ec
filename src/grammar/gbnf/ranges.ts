/** A range of code points, first and last included. */
export type Range = readonly [from: number, to: number];

/** Every Unicode character. Surrogates are left out: they are not characters. */
export const UNICODE: readonly Range[] = [
  [0, 0xd7ff],
  [0xe000, 0x10ffff],
];

/** Sorts the ranges and joins those that overlap or touch. */
export function mergeRanges(some: readonly Range[]): Range[] {
  const ranges: Range[] = [];
  for (const [from, to] of some.toSorted(([from], [otherFrom]) => from - otherFrom)) {
    const last = ranges.at(-1);
    if (last && from <= last[1] + 1) ranges[ranges.length - 1] = [last[0], Math.max(last[1], to)];
    else ranges.push([from, to]);
  }
  return ranges;
}

/** Returns the code points that are in both lists. */
export function intersection(some: readonly Range[], others: readonly Range[]): Range[] {
  return some.flatMap(([from, to]) =>
    others.flatMap(([otherFrom, otherTo]): Range[] => {
      const [first, last] = [Math.max(from, otherFrom), Math.min(to, otherTo)];
      return first <= last ? [[first, last]] : [];
    }),
  );
}

/** Returns the code points of `some` that are not in `others`. */
export function without(some: readonly Range[], others: readonly Range[]): Range[] {
  const taken = mergeRanges(others);
  const left = some.flatMap(([from, to]): Range[] => {
    const within = taken.filter(([first, last]) => first <= to && last >= from);
    const starts = [from, ...within.map(([, last]) => last + 1)];
    const ends = [...within.map(([first]) => first - 1), to];
    return starts.map((start, index): Range => [start, ends[index] ?? to]).filter(([start, end]) => start <= end);
  });
  return left.sort(([a], [b]) => a - b);
}

/** True if a range has the code point. The ranges need not be sorted. */
export function contains(ranges: readonly Range[], codePoint: number): boolean {
  return ranges.some(([from, to]) => from <= codePoint && codePoint <= to);
}

/** True if the two lists share a code point. */
export function overlap(some: readonly Range[], others: readonly Range[]): boolean {
  return some.some(([from, to]) => others.some(([otherFrom, otherTo]) => from <= otherTo && otherFrom <= to));
}
