/**
 * The moment of a change. No two changes have the same one, so of two values the later one is always known. `time` is a
 * Unix time in ms, but never less than that of any change seen before, so that clocks that differ do no harm.
 */
export interface Stamp {
  time: number;
  /** The id of the tab that made the change. */
  tab: string;
}

/** The stamp of what was never set: all others are later. */
export const NEVER: Stamp = { time: 0, tab: '' };

/** The last moment that a date can name, in ms. */
export const LAST_TIME = 8.64e15;

/** A value that may be set anew. The later stamp wins. */
export interface Field<T> {
  value: T;
  at: Stamp;
}

/** Negative if the first stamp is the earlier one. */
export function compareStamps(one: Stamp, other: Stamp): number {
  if (one.time !== other.time) return one.time - other.time;
  return one.tab < other.tab ? -1 : one.tab > other.tab ? 1 : 0;
}

export function later<T>(one: Field<T>, other: Field<T>): Field<T> {
  return compareStamps(one.at, other.at) < 0 ? other : one;
}

/** Makes the stamps of one tab. */
export interface Clock {
  next(): Stamp;
  /** The stamps from now on are later than this one, unless no date can be that late. */
  see(stamp: Stamp): void;
}

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
