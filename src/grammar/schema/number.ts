import type { SchemaObject } from '../../contract/json-schema.ts';
import { toDecimal } from '../check/decimal.ts';
import { choice } from '../gbnf/choice.ts';
import { type Expression, empty, literal, never, sequence } from '../gbnf/expression.ts';
import { expressionText } from '../gbnf/expression-text.ts';
import { NUMBER_FORMATS } from '../text/format-patterns.ts';
import { anyNumber, type Bound, decimalRange, integerRange } from '../text/number-range.ts';
import { readPattern } from '../text/pattern.ts';
import type { Multiples } from '../text/term.ts';
import { expressionTree, textTree } from '../text/text-tree.ts';
import { requireKnownFormat } from './checkable.ts';
import type { SchemaCompiler } from './context.ts';
import type { Negation } from './negation.ts';
import { textSet } from './text-set.ts';
import { everyValue } from './types.ts';

/** Most digits before the point: as many as the largest signed 64-bit integer has. */
const WHOLE_DIGITS = 19;
/** Most digits behind the point. */
const FRACTION_DIGITS = 16;
/** Digits that a double always keeps (C's DBL_DIG). A number with no more of them is never rounded to a bound. */
const SAFE_DIGITS = 15;

const LARGEST = 10n ** BigInt(WHOLE_DIGITS) - 1n;

/**
 * Matches the integers of a flat schema that are not ruled out, written without point and exponent. Throws a 400
 * `ApiError` for an exclusive bound beyond 2^53 - 1, where neighbouring integers are the same number.
 */
export function integerExpression(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  ruledOut: Negation,
): Expression {
  const { refuse } = compiler;
  const [least, most] = formatRange(compiler, schema, path);
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
  const range = integerRange(
    larger(low < -Number(LARGEST) ? -LARGEST : BigInt(low), least),
    smaller(high > Number(LARGEST) ? LARGEST : BigInt(high), most),
  );
  return multiplesOf(compiler, schema, path, range, ruledOut);
}

/** The integers that the formats of a flat schema allow. Text formats say nothing of numbers. */
function formatRange({ refuse }: SchemaCompiler, schema: SchemaObject, path: string): [low: bigint, high: bigint] {
  return everyValue(schema, 'format').reduce<[bigint, bigint]>(
    ([low, high], format) => {
      requireKnownFormat(String(format), path, refuse);
      const [least, most] = NUMBER_FORMATS.get(String(format)) ?? [low, high];
      return [larger(low, least), smaller(high, most)];
    },
    [-LARGEST, LARGEST],
  );
}

/** Keeps the numbers of an expression that are multiples of every `multipleOf` and not ruled out. */
function multiplesOf(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  range: Expression,
  { values }: Negation,
): Expression {
  const steps = everyValue(schema, 'multipleOf').map(Number);
  const numbers = values.filter((value) => typeof value === 'number');
  if (steps.length === 0 && numbers.length === 0) return range;
  const set = steps.every(isSmallStep)
    ? textSet(compiler, `number ${JSON.stringify([expressionText(range), steps, numbers])}`, path, empty, (terms) =>
        terms.and([
          terms.ofTree(expressionTree(range)),
          ...(steps.length > 0 ? [terms.ofTree(SHORT_NUMBER)] : []),
          ...steps.map((step) => terms.ofMultiples(toMultiples(step))),
          ...numbers.map((number) => terms.not(terms.ofTree(textTree(String(number))))),
        ]),
      )
    : undefined;
  if (set) return set;
  for (const keyword of ['multipleOf', 'not']) if (schema[keyword] !== undefined) compiler.leave(schema, keyword, path);
  return range;
}

/** Numbers with so few digits that a double holds exactly the number that is written. */
const SHORT_NUMBER = readPattern(`^-?[0-9.]{1,${SAFE_DIGITS}}$`, (reason) => new Error(reason));

/** Largest step whose multiples are counted, as a number without point. Each remainder is a state. */
const MAX_STEP = 1000;

function isSmallStep(step: number): boolean {
  const { digits, places } = toDecimal(step);
  return digits <= BigInt(MAX_STEP) && places < FRACTION_DIGITS;
}

function toMultiples(step: number): Multiples {
  const { digits, places } = toDecimal(step);
  return { step: Number(digits), digits: places };
}

function larger(some: bigint, other: bigint): bigint {
  return some > other ? some : other;
}

function smaller(some: bigint, other: bigint): bigint {
  return some < other ? some : other;
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

/**
 * Matches the numbers of a flat schema that are not ruled out, with a limited number of digits. With bounds or steps,
 * no exponent is written.
 */
export function numberExpression(
  compiler: SchemaCompiler,
  schema: SchemaObject,
  path: string,
  ruledOut: Negation,
): Expression {
  formatRange(compiler, schema, path);
  // The grammar only excludes the shortest spelling of a number; the check of the finished value finds the others.
  if (ruledOut.values.some((value) => typeof value === 'number')) compiler.leave(schema, 'not', path);
  const steps = everyValue(schema, 'multipleOf');
  const low = tighter(schema, 'minimum', 'exclusiveMinimum');
  const high = tighter(schema, 'maximum', 'exclusiveMaximum');
  if (!low && !high && steps.length === 0) return anyNumber(WHOLE_DIGITS, FRACTION_DIGITS);
  if (low && high && low.value > high.value) return never;
  const [far, farHigh] = [low, high].map((bound) => bound && writtenOut(bound).whole > LARGEST);
  if ((far && Number(low?.value) > 0) || (farHigh && Number(high?.value) < 0)) return never;
  const [nearLow, nearHigh] = [far ? undefined : low, farHigh ? undefined : high];
  const room = Math.min(...[nearLow, nearHigh].map((bound) => fractionDigits(bound)));
  const exact = [nearLow, nearHigh].map((bound) => {
    if (!bound || isExact(bound, room)) return bound && writtenOut(bound);
    compiler.leave(schema, bound.keyword, path);
    return undefined;
  });
  const range = signedRange(exact[0], exact[1], Math.max(room, 1));
  return multiplesOf(compiler, schema, path, range, { ...ruledOut, values: [] });
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
