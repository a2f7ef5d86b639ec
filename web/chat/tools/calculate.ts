import type { Decimal } from 'decimal.js';
import { type Arithmetic, createArithmetic, DIGITS, Num, SHOWN_DIGITS } from './arithmetic.ts';

/** The longest expression, in characters. It also limits the depth of parentheses. */
const LONGEST = 1000;
const LARGEST_FACTORIAL = 1000;
/** The largest angle, in radians. Above it, a number has too few decimals to determine its sine. */
const LARGEST_ANGLE = 1e15;

const PI = Num.acos(-1);
const CONSTANTS = new Map<string, Decimal>([
  ['pi', PI],
  ['e', Num.exp(1)],
  ['tau', PI.times(2)],
]);

/** A function with its least and its largest number of arguments. */
interface NamedFunction {
  least: number;
  most: number;
  compute(arithmetic: Arithmetic, ...given: Decimal[]): Decimal;
}

const FUNCTIONS = new Map<string, NamedFunction>([
  ['abs', one((x) => x.abs())],
  ['sqrt', one((x) => x.sqrt())],
  ['cbrt', one((x) => x.cbrt())],
  ['exp', one((x) => x.exp())],
  ['ln', one((x) => x.ln())],
  ['log10', one((x) => x.log(10))],
  ['log2', one((x) => x.log(2))],
  ['log', { least: 1, most: 2, compute: ({ take }, x, base) => take(logarithm(x as Decimal, base)) }],
  ['sin', one((x) => cut(angle(x).sin()))],
  ['cos', one((x) => cut(angle(x).cos()))],
  ['tan', one(tangent)],
  ['asin', one((x) => x.asin())],
  ['acos', one((x) => x.acos())],
  ['atan', one((x) => x.atan())],
  ['radians', one((x) => x.times(PI).div(180))],
  ['degrees', one((x) => x.times(180).div(PI))],
  ['floor', one((x, { steady }) => steady(x).floor())],
  ['ceil', one((x, { steady }) => steady(x).ceil())],
  ['trunc', one((x, { steady }) => steady(x).trunc())],
  ['round', { least: 1, most: 2, compute: ({ steady }, x, places) => rounded(steady(x as Decimal), places) }],
  ['mod', { least: 2, most: 2, compute: (arithmetic, x, y) => remainder(arithmetic, x as Decimal, y as Decimal) }],
  ['pow', { least: 2, most: 2, compute: ({ power }, x, y) => power(x as Decimal, y as Decimal) }],
  ['min', { least: 1, most: LONGEST, compute: (_, ...all) => Num.min(...all) }],
  ['max', { least: 1, most: LONGEST, compute: (_, ...all) => Num.max(...all) }],
  ['factorial', { least: 1, most: 1, compute: (arithmetic, x) => factorial(arithmetic, x as Decimal) }],
]);

/** The names that an expression may use. */
export const NAMES: string[] = [...FUNCTIONS.keys(), ...CONSTANTS.keys()];

/**
 * Computes an arithmetic expression in decimal numbers, so that 0.1 + 0.2 is 0.3. Returns the number as text, and marks
 * a rounded number. Throws an `Error` that says what can't be computed, and at which character.
 */
export function calculate(expression: string): string {
  if (expression.trim() === '') throw new Error('The expression is empty.');
  if (expression.length > LONGEST) throw new Error(`The expression is longer than ${LONGEST} characters.`);
  const arithmetic = createArithmetic();
  const value = evaluate(tokensOf(expression), arithmetic);
  if (value.isNaN()) throw new Error('The result is not a real number.');
  if (!value.isFinite()) throw new Error('The result is too large, or has no limit.');
  return format(value, arithmetic.isRounded());
}

function format(value: Decimal, isRounded: boolean): string {
  const shown = isRounded ? value.toSignificantDigits(SHOWN_DIGITS) : value;
  const text = Math.abs(shown.e) < DIGITS ? shown.toFixed() : shown.toExponential();
  return isRounded ? `about ${text} (rounded to ${SHOWN_DIGITS} digits)` : text;
}

interface Token {
  kind: 'number' | 'name' | 'sign' | 'end';
  text: string;
  /** The position of its first character, counted from 1. */
  at: number;
}

const SPELLINGS = new Map(Object.entries({ '×': '*', '·': '*', '÷': '/', '−': '-', '–': '-', '**': '^', π: 'pi' }));

const TOKEN = /\s*(?:(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)|(?<name>[a-z_]\w*|π)|(?<sign>\*\*|\S))/giuy;

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  for (const { groups = {}, index, 0: whole } of expression.trimEnd().matchAll(TOKEN)) {
    const [kind = 'sign', given = ''] = Object.entries(groups).find(([, text]) => text !== undefined) ?? [];
    const text = SPELLINGS.get(given) ?? given;
    tokens.push({ kind: kind as Token['kind'], text, at: index + whole.length - given.length + 1 });
  }
  return [...tokens, { kind: 'end', text: '', at: expression.length + 1 }];
}

/** Reads the tokens from left to right: sums of products of signed powers. */
function evaluate(tokens: Token[], arithmetic: Arithmetic): Decimal {
  let place = 0;
  const peek = (): Token => tokens[place] as Token;
  const next = (): Token => {
    const token = peek();
    if (token.kind !== 'end') place += 1;
    return token;
  };
  const takes = (...signs: string[]): string | null => {
    const { kind, text } = peek();
    if (kind !== 'sign' || !signs.includes(text)) return null;
    place += 1;
    return text;
  };
  const expect = (sign: string) => {
    if (!takes(sign)) throw unexpected(peek(), `“${sign}”`);
  };

  const sum = (): Decimal => {
    let value = product();
    for (let sign = takes('+', '-'); sign; sign = takes('+', '-')) {
      const other = product();
      value = arithmetic.plus(value, sign === '+' ? other : other.neg());
    }
    return value;
  };
  const product = (): Decimal => {
    let value = signed();
    for (let sign = takes('*', '/'); sign; sign = takes('*', '/')) {
      value = sign === '*' ? arithmetic.times(value, signed()) : arithmetic.over(value, signed());
    }
    return value;
  };
  const signed = (): Decimal => {
    const sign = takes('-', '+');
    if (sign) return sign === '-' ? signed().neg() : signed();
    const base = marked();
    return takes('^') ? arithmetic.power(base, signed()) : base;
  };
  /** Reads a value and the `!` and `%` after it. */
  const marked = (): Decimal => {
    let value = primary();
    for (let mark = takes('!', '%'); mark; mark = takes('!', '%')) {
      if (mark === '%' && beginsValue(peek())) {
        throw new Error('% means per cent here. For a remainder write mod(a, b).');
      }
      value = mark === '!' ? factorial(arithmetic, value) : arithmetic.over(value, new Num(100));
    }
    return value;
  };
  const primary = (): Decimal => {
    const token = next();
    if (token.kind === 'number') return arithmetic.take(new Num(token.text));
    if (token.kind === 'name') return named(token);
    if (token.text !== '(') throw unexpected(token, 'a number');
    const value = sum();
    expect(')');
    return value;
  };
  const named = ({ text, at }: Token): Decimal => {
    const name = text.toLowerCase();
    const constant = CONSTANTS.get(name);
    if (constant) return arithmetic.take(constant);
    const known = FUNCTIONS.get(name);
    if (!known) throw new Error(`“${text}” at character ${at} is not known. Known names: ${NAMES.join(', ')}.`);
    expect('(');
    const given = [sum()];
    while (takes(',', ';')) given.push(sum());
    expect(')');
    const { least, most, compute } = known;
    if (given.length < least || given.length > most) {
      throw new Error(`${name} takes ${least === most ? least : `${least} to ${most}`} numbers, not ${given.length}.`);
    }
    return compute(arithmetic, ...given);
  };

  const value = sum();
  if (peek().kind !== 'end') throw unexpected(peek(), 'an operator');
  return value;
}

function beginsValue({ kind, text }: Token): boolean {
  return kind === 'number' || kind === 'name' || text === '(';
}

function unexpected({ kind, text, at }: Token, wanted: string): Error {
  if (text === ',') return new Error(`There is a comma at character ${at}: write numbers without commas, as 1234.5.`);
  return new Error(`At character ${at} there should be ${wanted}, not ${kind === 'end' ? 'the end' : `“${text}”`}.`);
}

function one(compute: (x: Decimal, arithmetic: Arithmetic) => Decimal): NamedFunction {
  return { least: 1, most: 1, compute: (arithmetic, x) => arithmetic.take(compute(x as Decimal, arithmetic)) };
}

function logarithm(value: Decimal, base: Decimal | undefined): Decimal {
  if (!base) throw new Error('log needs a base: write ln(x), log10(x) or log(x, base).');
  return value.log(base);
}

function tangent(value: Decimal): Decimal {
  if (cut(angle(value).cos()).isZero()) throw new Error('The tangent has no value there.');
  return cut(value.tan());
}

function remainder({ steady }: Arithmetic, value: Decimal, divisor: Decimal): Decimal {
  if (divisor.isZero()) throw new Error('It divides by zero.');
  return steady(value).mod(steady(divisor));
}

function factorial({ steady, times }: Arithmetic, value: Decimal): Decimal {
  let product = new Num(1);
  for (let factor = wholeOf(steady(value), LARGEST_FACTORIAL); factor > 1; factor -= 1) {
    product = times(product, new Num(factor));
  }
  return product;
}

function rounded(value: Decimal, places: Decimal | undefined): Decimal {
  return value.toDecimalPlaces(places ? wholeOf(places, DIGITS) : 0, Num.ROUND_HALF_UP);
}

function angle(value: Decimal): Decimal {
  if (value.abs().gt(LARGEST_ANGLE)) throw new Error('The angle is too large.');
  return value;
}

/** Removes the last digits, so that a sine or cosine which should be 0 is not the rounding error of π. */
function cut(value: Decimal): Decimal {
  return value.toDecimalPlaces(DIGITS - 10);
}

function wholeOf(value: Decimal, most: number): number {
  if (!value.isInteger() || value.isNegative() || value.gt(most)) {
    throw new Error(`Only a whole number from 0 to ${most} can stand there.`);
  }
  return value.toNumber();
}
