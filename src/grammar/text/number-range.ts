import { choice } from '../gbnf/choice.ts';
import {
  type Expression,
  empty,
  literal,
  never,
  oneCharacterOf,
  optional,
  repeat,
  sequence,
} from '../gbnf/expression.ts';
import type { Range } from '../gbnf/ranges.ts';

const ZERO = 0x30;

/** Matches one digit from `from` to `to`. */
function digit(from: number, to: number): Expression {
  const range: Range = [ZERO + from, ZERO + to];
  if (from > to) return never;
  return from === to ? literal(String(from)) : oneCharacterOf(range);
}

const anyDigit = digit(0, 9);

/** Matches integers from `low` to `high`, both included, without leading zeros. */
export function integerRange(low: bigint, high: bigint): Expression {
  const negative = low < 0n ? sequence(literal('-'), naturalRange(high < -1n ? -high : 1n, -low)) : never;
  const natural = high >= 0n ? naturalRange(low > 0n ? low : 0n, high) : never;
  return choice([natural, negative]);
}

/** Like `integerRange`, for bounds that aren't negative. */
export function naturalRange(low: bigint, high: bigint): Expression {
  if (low > high) return never;
  if (low === 0n) return choice([literal('0'), naturalRange(1n, high)]);
  const first = String(low);
  const last = String(high);
  if (first.length === last.length) return digitsBetween(first, last);
  // All numbers with `fullFrom` to `fullTo` digits are in the range. One option covers them together.
  const fullFrom = first === powerOfTen(first.length) ? first.length : first.length + 1;
  const fullTo = last === nines(last.length) ? last.length : last.length - 1;
  const full = fullFrom <= fullTo ? sequence(digit(1, 9), repeat(anyDigit, fullFrom - 1, fullTo - 1)) : never;
  const short = first.length < fullFrom ? digitsBetween(first, nines(first.length)) : never;
  const long = last.length > fullTo ? digitsBetween(powerOfTen(last.length), last) : never;
  return choice([short, full, long]);
}

function powerOfTen(length: number): string {
  return `1${'0'.repeat(length - 1)}`;
}

function nines(length: number): string {
  return '9'.repeat(length);
}

/** Matches numbers from `low` to `high`, which have the same number of digits. */
function digitsBetween(low: string, high: string): Expression {
  if (low === '') return empty;
  const [from, to] = [Number(low[0]), Number(high[0])];
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  const length = lowRest.length;
  if (from === to) return sequence(digit(from, from), digitsBetween(lowRest, highRest));
  const fromStart = lowRest === '0'.repeat(length);
  const toEnd = highRest === nines(length);
  return choice([
    fromStart ? never : sequence(digit(from, from), digitsBetween(lowRest, nines(length))),
    sequence(digit(fromStart ? from : from + 1, toEnd ? to : to - 1), repeat(anyDigit, length, length)),
    toEnd ? never : sequence(digit(to, to), digitsBetween('0'.repeat(length), highRest)),
  ]);
}

/** A bound of a range. It is not negative. */
export interface Bound {
  whole: bigint;
  /** The digits behind the point, without zeros at the end. */
  fraction: string;
  exclusive: boolean;
}

/** Matches numbers between two bounds, with up to `room` digits behind the point. */
export function decimalRange(low: Bound, high: Bound, room: number): Expression {
  if (low.whole > high.whole) return never;
  if (low.whole === high.whole) return sequence(literal(String(low.whole)), fractions(low, high, room));
  const between = naturalRange(low.whole + 1n, high.whole - 1n);
  return choice([
    sequence(literal(String(low.whole)), fractions(low, undefined, room)),
    sequence(between, fractions(undefined, undefined, room)),
    sequence(literal(String(high.whole)), fractions(undefined, high, room)),
  ]);
}

/**
 * Matches the rest of a number after its whole part: a fraction or nothing. A bound with another whole part must be
 * left out.
 */
function fractions(low: Bound | undefined, high: Bound | undefined, room: number): Expression {
  const whole = isWithin(low, high) ? empty : never;
  return choice([sequence(literal('.'), fractionDigits(low, high, room, false)), whole]);
}

type FractionBound = Omit<Bound, 'whole'>;

/** True if a number may end here. `low` and `high` have the remaining digits of the bounds. */
function isWithin(low: FractionBound | undefined, high: FractionBound | undefined): boolean {
  const isTooLow = low !== undefined && (low.fraction !== '' || low.exclusive);
  const isTooHigh = high !== undefined && high.fraction === '' && high.exclusive;
  return !isTooLow && !isTooHigh;
}

/** Matches digits behind the point. A bound is undefined once the digits so far can no longer reach it. */
function fractionDigits(
  low: FractionBound | undefined,
  high: FractionBound | undefined,
  room: number,
  mayEnd: boolean,
): Expression {
  const min = mayEnd ? 0 : 1;
  if (low?.fraction === '' && !low.exclusive) return fractionDigits(undefined, high, room, mayEnd);
  if (high?.fraction === '') return low || high.exclusive ? never : repeat(literal('0'), min, room);
  if (!low && !high) return repeat(anyDigit, min, room);
  const end = mayEnd && isWithin(low, high) ? empty : never;
  return room === 0 ? end : choice([nextFractionDigit(low, high, room - 1), end]);
}

/**
 * Matches one digit and all behind it. If the digit equals that of a bound, the bound goes on to limit the rest. If it
 * lies between the bounds, any digits may follow.
 */
function nextFractionDigit(low: FractionBound | undefined, high: FractionBound | undefined, room: number): Expression {
  const from = low ? Number(low.fraction[0] ?? 0) : -1;
  const to = high ? Number(high.fraction[0]) : 10;
  const [nextLow, nextHigh] = [low && behindDigit(low), high && behindDigit(high)];
  if (from === to) return sequence(digit(from, to), fractionDigits(nextLow, nextHigh, room, true));
  return choice([
    low ? sequence(digit(from, from), fractionDigits(nextLow, undefined, room, true)) : never,
    sequence(digit(from + 1, to - 1), repeat(anyDigit, 0, room)),
    high ? sequence(digit(to, to), fractionDigits(undefined, nextHigh, room, true)) : never,
  ]);
}

function behindDigit(bound: FractionBound): FractionBound {
  return { ...bound, fraction: bound.fraction.slice(1) };
}

/** Matches numbers of limited length. All are finite as a double, since the exponent has at most two digits. */
export function anyNumber(wholeDigits: number, fractionDigits: number): Expression {
  const whole = choice([literal('0'), sequence(digit(1, 9), repeat(anyDigit, 0, wholeDigits - 1))]);
  const fraction = optional(sequence(literal('.'), repeat(anyDigit, 1, fractionDigits)));
  const sign = oneCharacterOf([0x2b, 0x2b], [0x2d, 0x2d]);
  const exponent = sequence(oneCharacterOf([0x45, 0x45], [0x65, 0x65]), optional(sign), repeat(anyDigit, 1, 2));
  return sequence(optional(literal('-')), whole, fraction, optional(exponent));
}
