import { choice, type Expression, literal, never, sequence } from './expression.ts';
import type { SchemaObject } from './json-schema.ts';
import { anyNumber, type Bound, decimalRange, integerRange } from './number-range.ts';
import type { SchemaCompiler } from './schema-compiler.ts';

/** Digits of 64-bit integers, with or without a sign. A longer number is hardly meant. */
const WHOLE_DIGITS = 19;
const FRACTION_DIGITS = 16;
/** Decimal digits that every double keeps apart (DBL_DIG of C): with these, a number can't be rounded to a bound. */
const SAFE_DIGITS = 15;

const LARGEST = 10n ** BigInt(WHOLE_DIGITS) - 1n;

/** Integers of a flat schema, always written without point and exponent. */
export function integerExpression(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  checkFormat(compiler, schema, path);
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum']) {
    const bound = schema[keyword];
    if (bound !== undefined && !Number.isSafeInteger(Math.trunc(Number(bound)))) {
      throw compiler.refuse(path, keyword, 'is beyond the integers that numbers hold exactly');
    }
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const lows = [minimum === undefined ? undefined : Math.ceil(Number(minimum)), after(exclusiveMinimum, 1)];
  const highs = [maximum === undefined ? undefined : Math.floor(Number(maximum)), after(exclusiveMaximum, -1)];
  const low = Math.max(...lows.filter((value) => value !== undefined));
  const high = Math.min(...highs.filter((value) => value !== undefined));
  return integerRange(low < -Number(LARGEST) ? -LARGEST : BigInt(low), high > Number(LARGEST) ? LARGEST : BigInt(high));
}

/** The next integer beside an excluded bound, upwards or downwards. */
function after(bound: unknown, step: 1 | -1): number | undefined {
  if (bound === undefined) return undefined;
  return (step === 1 ? Math.floor(Number(bound)) : Math.ceil(Number(bound))) + step;
}

/** A number as it is written out: `0.5` is whole 0 and fraction 5. */
interface SignedBound extends Bound {
  negative: boolean;
}

/** Numbers of a flat schema: any within a number of digits; with bounds, none with an exponent. */
export function numberExpression(compiler: SchemaCompiler, schema: SchemaObject, path: string): Expression {
  checkFormat(compiler, schema, path);
  const low = tighter(schema, 'minimum', 'exclusiveMinimum');
  const high = tighter(schema, 'maximum', 'exclusiveMaximum');
  if (!low && !high) return anyNumber(WHOLE_DIGITS, FRACTION_DIGITS);
  if (low && high && low.value > high.value) return never;
  const room = Math.min(...[low, high].map((bound) => fractionDigits(bound)));
  for (const bound of [low, high]) {
    if (bound && !isExact(bound, room))
      throw compiler.refuse(path, bound.keyword, 'has too many digits to be obeyed exactly');
  }
  return signedRange(low && writtenOut(low), high && writtenOut(high), room);
}

/** How many digits behind the point are safe beside a bound. No number is rounded to 0, nor past a bound. */
function fractionDigits(bound: NumberBound | undefined): number {
  if (!bound?.exclusive || bound.value === 0) return FRACTION_DIGITS;
  return SAFE_DIGITS - String(writtenOut(bound).whole).length;
}

function isExact(bound: NumberBound, room: number): boolean {
  const { whole, fraction } = writtenOut(bound);
  return whole <= LARGEST && fraction.length <= room && room > 0;
}

/** Numbers between two bounds: those from zero on, and those below it by what follows their sign. */
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

/** A bound in digits, without the exponent that JavaScript writes for large and small numbers. */
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

function checkFormat({ refuse }: SchemaCompiler, { format }: SchemaObject, path: string): void {
  if (format !== undefined) throw refuse(path, 'format', `'${String(format)}' is not supported for numbers`);
}
