import {
  charactersTerm,
  type MultipleShape,
  type Multiples,
  orTerm,
  sequenceTerm,
  type TermPool,
  type TextTerm,
} from './term.ts';

const ZERO = 0x30;
const POINT = 0x2e;
const MINUS = 0x2d;

/** The code points that a term for numbers tells apart, and the ends of their runs. */
export const NUMBER_BORDERS: ReadonlySet<number> = new Set([
  POINT,
  POINT + 1,
  ...Array.from({ length: 11 }, (_, digit) => ZERO + digit),
]);

/**
 * Returns the numbers without exponent that are multiples. It also has some texts that are no numbers, such as `007`.
 */
export function multiplesTerm(pool: TermPool, multiples: Multiples): TextTerm {
  const positive = afterDigits(pool, multiples, 0, -1);
  return orTerm(pool, [positive, sequenceTerm(pool, charactersTerm(pool, [[MINUS, MINUS]]), positive)]);
}

/** Returns the texts that may follow the character in a term for numbers. */
export function afterCharacter(
  pool: TermPool,
  { multiples, ahead, fraction }: MultipleShape,
  codePoint: number,
): TextTerm {
  if (codePoint === POINT)
    return fraction === -1 && multiples.digits > 0 ? afterPoint(pool, multiples, ahead) : pool.never;
  const digit = codePoint - ZERO;
  if (digit < 0 || digit > 9 || fraction === multiples.digits) return pool.never;
  return afterDigits(pool, multiples, (ahead + digit) % multiples.step, fraction === -1 ? -1 : fraction + 1);
}

/**
 * Returns the texts that may follow digits. `remainder` is that of the digits so far, `fraction` the number of digits
 * behind the point, or -1 if there is no point yet. The term keeps ten times the remainder (`ahead`), on which alone
 * the next digits depend.
 */
function afterDigits(pool: TermPool, multiples: Multiples, remainder: number, fraction: number): TextTerm {
  const { step, digits } = multiples;
  const ahead = (remainder * 10) % step;
  const isMultiple = (remainder * powerModulo(10, digits - Math.max(fraction, 0), step)) % step === 0;
  const key = `m${step},${digits},${ahead},${fraction},${isMultiple}`;
  return pool.make(key, isMultiple, { kind: 'multiple', multiples, ahead, fraction });
}

/** Returns the texts that may follow the point: at least one digit. */
function afterPoint(pool: TermPool, multiples: Multiples, ahead: number): TextTerm {
  const key = `p${multiples.step},${multiples.digits},${ahead}`;
  return pool.make(key, false, { kind: 'multiple', multiples, ahead, fraction: 0 });
}

function powerModulo(base: number, exponent: number, modulus: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count++) result = (result * base) % modulus;
  return result;
}
