import { choice } from '../gbnf/choice.ts';
import { type Expression, literal, never, sequence } from '../gbnf/expression.ts';
import type { SchemaObject } from '../json-schema.ts';
import { anyNumber, type Bound, decimalRange, integerRange } from '../text/number-range.ts';
import type { Refuse } from './refuse.ts';

/** Most digits before the point: as many as the largest signed 64-bit integer has. */
const WHOLE_DIGITS = 19;
/** Most digits behind the point. */
const FRACTION_DIGITS = 16;
/** Digits that a double always keeps (C's DBL_DIG). A number with no more of them is never rounded to a bound. */
const SAFE_DIGITS = 15;

const LARGEST = 10n ** BigInt(WHOLE_DIGITS) - 1n;

/** Matches the integers of a flat schema, written without point and exponent. */
export function integerExpression(schema: SchemaObject, path: string, refuse: Refuse): Expression {
  checkFormat(schema, path, refuse);
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum']) {
    const bound = schema[keyword];
    if (bound !== undefined && !Number.isSafeInteger(Math.trunc(Number(bound)))) {
      throw refuse(path, keyword, 'is beyond the integers that numbers hold exactly');
    }
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const lows = [minimum === undefined ? undefined : Math.ceil(Number(minimum)), after(exclusiveMinimum, 1)];
  const highs = [maximum === undefined ? undefined : Math.floor(Number(maximum)), after(exclusiveMaximum, -1)];
  const low = Math.max(...lows.filter((value) => value !== undefined));
  const high = Math.min(...highs.filter((value) => value !== undefined));
  return integerRange(low < -Number(LARGEST) ? -LARGEST : BigInt(low), high > Number(LARGEST) ? LARGEST : BigInt(high));
}

/** Returns the nearest integer above (step 1) or below (step -1) an excluded bound. */
function after(bound: unknown, step: 1 | -1): number | undefined {
  if (bound === undefined) return undefined;
  return (step === 1 ? Math.floor(Number(bound)) : Math.ceil(Number(bound))) + step;
}

/** A bound with its sign. The digits are those of its absolute value: -0.5 has whole 0 and fraction '5'. */
interface SignedBound extends Bound {
  negative: boolean;
}

/** Matches the numbers of a flat schema, with a limited number of digits. With bounds, no exponent is written. */
export function numberExpression(schema: SchemaObject, path: string, refuse: Refuse): Expression {
  checkFormat(schema, path, refuse);
  const low = tighter(schema, 'minimum', 'exclusiveMinimum');
  const high = tighter(schema, 'maximum', 'exclusiveMaximum');
  if (!low && !high) return anyNumber(WHOLE_DIGITS, FRACTION_DIGITS);
  if (low && high && low.value > high.value) return never;
  const room = Math.min(...[low, high].map((bound) => fractionDigits(bound)));
  for (const bound of [low, high]) {
    if (bound && !isExact(bound, room)) throw refuse(path, bound.keyword, 'has too many digits to be obeyed exactly');
  }
  return signedRange(low && writtenOut(low), high && writtenOut(high), room);
}

/**
 * Number of digits behind the point that are safe next to a bound. Rounding to a double may make a number equal to a
 * bound, never move it past one, so only an excluded bound counts. An excluded 0 is safe: nothing is rounded to it.
 */
function fractionDigits(bound: NumberBound | undefined): number {
  if (!bound?.exclusive || bound.value === 0) return FRACTION_DIGITS;
  return SAFE_DIGITS - String(writtenOut(bound).whole).length;
}

function isExact(bound: NumberBound, room: number): boolean {
  const { whole, fraction } = writtenOut(bound);
  return whole <= LARGEST && fraction.length <= room && room > 0;
}

/** Matches numbers between two bounds. Negative numbers are a minus and the range of their absolute values. */
function signedRange(low: SignedBound | undefined, high: SignedBound | undefined, room: number): Expression {
  const zero: Bound = { whole: 0n, fraction: '', exclusive: false };
  const largest: Bound = { whole: LARGEST, fraction: '', exclusive: false };
  const natural = high?.negative ? never : decimalRange(low && !low.negative ? low : zero, high ?? largest, room);
  const smallest = high?.negative ? high : { ...zero, exclusive: true };
  const negative = low && !low.negative ? never : decimalRange(smallest, low ?? largest, room);
  return choice([natural, sequence(literal('-'), negative)]);
}

interface NumberBound {
  keyword: string;
  value: number;
  exclusive: boolean;
}

/** Returns the narrower of the two bounds on one side; undefined if the schema has neither. */
function tighter(schema: SchemaObject, inclusive: string, exclusive: string): NumberBound | undefined {
  const [some, other] = [schema[inclusive], schema[exclusive]];
  if (some === undefined && other === undefined) return undefined;
  const isLow = inclusive === 'minimum';
  const isOther =
    some === undefined ||
    (other !== undefined && (isLow ? Number(other) >= Number(some) : Number(other) <= Number(some)));
  return isOther
    ? { keyword: exclusive, value: Number(other), exclusive: true }
    : { keyword: inclusive, value: Number(some), exclusive: false };
}

/** Writes a bound in digits. JavaScript uses an exponent for large and small numbers; this resolves it. */
function writtenOut({ value, exclusive }: NumberBound): SignedBound {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent);
  const digits =
    shift < 0 ? `${'0'.repeat(-shift)}${whole}${fraction}` : `${whole}${fraction}`.padEnd(whole.length + shift, '0');
  const point = shift < 0 ? whole.length : whole.length + shift;
  return {
    negative: value < 0,
    whole: BigInt(digits.slice(0, point)),
    fraction: digits.slice(point).replace(/0+$/, ''),
    exclusive,
  };
}

function checkFormat({ format }: SchemaObject, path: string, refuse: Refuse): void {
  if (format !== undefined) throw refuse(path, 'format', `'${String(format)}' is not supported for numbers`);
}
