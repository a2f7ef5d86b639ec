import { Decimal } from 'decimal.js';

/** The number of significant digits of a computation, and of a rounded number on display. */
export const DIGITS = 100;
export const SHOWN_DIGITS = 34;

/** The number of digits of a rounded number that are certainly correct. */
const SURE_DIGITS = 60;

/**
 * A separate constructor, so that other settings of decimal.js have no effect. Numbers above 10^10000 are infinite. The
 * result of `mod` has the sign of the divisor.
 */
export const Num = Decimal.clone({ precision: DIGITS, maxE: 10_000, minE: -10_000, modulo: 3, defaults: true });

/** Arithmetic that records if a result was rounded. */
export interface Arithmetic {
  plus(one: Decimal, other: Decimal): Decimal;
  times(one: Decimal, other: Decimal): Decimal;
  over(one: Decimal, other: Decimal): Decimal;
  power(base: Decimal, exponent: Decimal): Decimal;
  /** Records if the result of a function was rounded, and returns it. */
  take(result: Decimal): Decimal;
  /**
   * Returns a number without its rounding error, for functions that jump, such as `floor`. Throws if the number has too
   * many digits.
   */
  steady(value: Decimal): Decimal;
  /** True if a result so far was rounded. */
  isRounded(): boolean;
}

/** Returns an `Arithmetic`. Its functions throw an `Error` for people if a result would be wrong. */
export function createArithmetic(): Arithmetic {
  let rounded = false;
  const note = (isRounded: boolean) => {
    rounded ||= isRounded;
  };
  const take = (result: Decimal) => {
    // A rounded result has all digits, or nearly all if the last digits are zeros.
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

/** Returns the decimal logarithm of a number's significant digits as an integer: for 0.25 the logarithm of 25. */
function lengthOf(value: Decimal): number {
  return value.isZero() ? 0 : Math.log10(Number(value.abs().toExponential().replace('.', '').replace(/e.*/, '')));
}

/** Returns the exponent of the last significant digit: 0 for the units, -1 for the tenths. */
function lastPlace(value: Decimal): number {
  return value.e - value.sd() + 1;
}
