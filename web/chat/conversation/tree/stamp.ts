/**
 * The logical time of a change. No two changes have the same stamp, so one of two values is always the later one.
 * `time` is a Unix time in ms, but never less than the time of a change that the tab has seen, so wrong clocks can't
 * reorder changes.
 */
export interface Stamp {
  time: number;
  /** The id of the tab that made the change. */
  tab: string;
}

/** The stamp of a value that was never set. Every other stamp is later. */
export const NEVER: Stamp = { time: 0, tab: '' };

/** The largest time that a `Date` can hold, in ms. */
export const LAST_TIME = 8.64e15;

/** A value with the stamp of its last change. Of two values, the one with the later stamp counts. */
export interface Field<T> {
  value: T;
  at: Stamp;
}

/** Negative if the first stamp is the earlier one. */
export function compareStamps(one: Stamp, other: Stamp): number {
  if (one.time !== other.time) return one.time - other.time;
  return one.tab < other.tab ? -1 : one.tab > other.tab ? 1 : 0;
}

/** Returns the field that was changed last. */
export function later<T>(one: Field<T>, other: Field<T>): Field<T> {
  return compareStamps(one.at, other.at) < 0 ? other : one;
}

/** Makes the stamps of one tab. */
export interface Clock {
  next(): Stamp;
  /** Makes every later stamp of this tab greater than `stamp`, up to the largest time that a `Date` can hold. */
  see(stamp: Stamp): void;
}

/** Returns the clock of a tab. `now` returns the Unix time in ms. */
export function createClock(tab: string, now: () => number): Clock {
  let last = 0;
  return {
    next() {
      last = Math.max(last + 1, now());
      return { time: last, tab };
    },
    see({ time }) {
      last = Math.max(last, Math.min(time, LAST_TIME));
    },
  };
}
