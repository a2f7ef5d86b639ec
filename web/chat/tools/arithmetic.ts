import { Decimal } from 'decimal.js';

/** Digits with which everything is computed, and those of a rounded number that are shown. */
export const DIGITS = 100;
export const SHOWN_DIGITS = 34;

/** What is computed of rounded numbers counts on so many of their digits. */
const SURE_DIGITS = 60;

/** A constructor of its own, so that nobody else's settings count. Beyond 10^10000 numbers are infinite. `mod` has the divisor's sign. */
export const Num = Decimal.clone({ precision: DIGITS, maxE: 10_000, minE: -10_000, modulo: 3, defaults: true });

/** Computes, and notes when a number had to be rounded. */
export interface Arithmetic {
  plus(one: Decimal, other: Decimal): Decimal;
  times(one: Decimal, other: Decimal): Decimal;
  over(one: Decimal, other: Decimal): Decimal;
  power(base: Decimal, exponent: Decimal): Decimal;
  /** Takes in the result of a function. */
  take(result: Decimal): Decimal;
  /** For functions that jump, such as `floor`: the number without the dust of rounding. Throws if it has too many digits. */
  steady(value: Decimal): Decimal;
  /** True if the numbers so far are not exact. */
  isRounded(): boolean;
}

/** Throws an `Error` for people where a result would be wrong. */
export function createArithmetic(): Arithmetic {
  let rounded = false;
  const note = (isRounded: boolean) => {
    rounded ||= isRounded;
  };
  const take = (result: Decimal) => {
    // A result that was cut has all digits, or nearly all if the last ones are zeros.
    note(result.sd() > DIGITS - 20);
    return result;
  };
  return {
    plus(one, other) {
      const [small, large] = one.abs().lt(other.abs()) ? [one, other] : [other, one];
      if (small.isZero() || !large.isFinite()) return large.plus(small);
      const isCut = large.e - Math.min(lastPlace(one), lastPlace(other)) + 2 > DIGITS;
      if (isCut && large.e - small.e > SURE_DIGITS) {
        throw new Error('The numbers are too different in size to be added.');
      }
      note(isCut);
      const sum = large.plus(small);
      if (rounded && large.e - sum.e > SURE_DIGITS) {
        throw new Error('Rounded numbers are too close to one another for their difference to be known.');
      }
      return sum;
    },
    times(one, other) {
      note(one.sd() + other.sd() > DIGITS);
      return one.times(other);
    },
    over(one, other) {
      if (other.isZero()) throw new Error('It divides by zero.');
      return take(one.div(other));
    },
    power(base, exponent) {
      if (base.isZero() && exponent.isNegative() && !exponent.isZero()) throw new Error('It divides by zero.');
      note(
        exponent
          .abs()
          .times(lengthOf(base))
          .gt(DIGITS - 1),
      );
      return take(base.pow(exponent));
    },
    take,
    steady(value) {
      if (!rounded) return value;
      if (value.e >= SURE_DIGITS) throw new Error('A number has too many digits for this.');
      return value.toSignificantDigits(SURE_DIGITS);
    },
    isRounded: () => rounded,
  };
}

/** The decimal logarithm of a number's digits, read as a whole number: for 0.25 that of 25. */
function lengthOf(value: Decimal): number {
  return value.isZero() ? 0 : Math.log10(Number(value.abs().toExponential().replace('.', '').replace(/e.*/, '')));
}

/** The place of the last digit: 0 is the one before the point. */
function lastPlace(value: Decimal): number {
  return value.e - value.sd() + 1;
}
