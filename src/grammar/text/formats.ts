import { isJson } from '../../utils/json.ts';
import { choice } from '../gbnf/choice.ts';
import { type Expression, literal, oneCharacterOf, optional, repeat, sequence } from '../gbnf/expression.ts';
import type { Range } from '../gbnf/ranges.ts';
import { FORMAT_PATTERNS } from './format-patterns.ts';
import { readPattern } from './pattern.ts';
import { expressionTree, type TextTree } from './text-tree.ts';

const DIGIT: Range = [0x30, 0x39];
const digit = oneCharacterOf(DIGIT);
const hex = oneCharacterOf(DIGIT, [0x41, 0x46], [0x61, 0x66]);
const dash = literal('-');
const colon = literal(':');

const times = (item: Expression, count: number) => repeat(item, count, count);

/** Matches two digits: `pair('02', '468')` is 0 or 2, and then 4, 6 or 8. */
function pair(tens: string, ones: string): Expression {
  return sequence(digits(tens), digits(ones));
}

function digits(some: string): Expression {
  return oneCharacterOf(...Array.from(some, (character): Range => [character.charCodeAt(0), character.charCodeAt(0)]));
}

/**
 * Matches days of real years, after RFC 3339, appendix C: days that every year has (up to 28 in all months, 29 and 30
 * outside February, 31 in long months), and February 29 of leap years.
 */
function fullDate(): Expression {
  const month = choice([pair('0', '123456789'), pair('1', '012')]);
  const notFebruary = choice([pair('0', '13456789'), pair('1', '012')]);
  const longMonth = choice([pair('0', '13578'), pair('1', '02')]);
  const day = choice([pair('0', '123456789'), pair('1', '0123456789'), pair('2', '012345678')]);
  const anyYear = choice([
    sequence(month, dash, day),
    sequence(notFebruary, dash, choice([literal('29'), literal('30')])),
    sequence(longMonth, dash, literal('31')),
  ]);
  const fourth = choice([pair('02468', '048'), pair('13579', '26')]);
  const fourthNotZero = choice([pair('0', '48'), pair('2468', '048'), pair('13579', '26')]);
  const leapYear = choice([sequence(pair('0123456789', '0123456789'), fourthNotZero), sequence(fourth, literal('00'))]);
  return choice([sequence(times(digit, 4), dash, anyYear), sequence(leapYear, literal('-02-29'))]);
}

/** Matches times without leap seconds, which are valid at a few moments only. */
function fullTime(): Expression {
  const hour = choice([pair('01', '0123456789'), pair('2', '0123')]);
  const sixty = pair('012345', '0123456789');
  const fraction = optional(sequence(literal('.'), repeat(digit, 1, 9)));
  const offset = sequence(oneCharacterOf([0x2b, 0x2b], [0x2d, 0x2d]), hour, colon, sixty);
  return sequence(hour, colon, sixty, colon, sixty, fraction, choice([literal('Z'), offset]));
}

function uuid(): Expression {
  return sequence(times(hex, 8), ...[4, 4, 4, 12].flatMap((count) => [dash, times(hex, count)]));
}

const lower: Range = [0x61, 0x7a];
const label = sequence(oneCharacterOf(lower), repeat(oneCharacterOf(lower, DIGIT), 0, 15));
const domain = sequence(label, literal('.'), repeat(oneCharacterOf(lower), 2, 6));

/** Matches common mail addresses, a part of what RFC 5321 allows. */
function email(): Expression {
  return sequence(label, optional(sequence(literal('.'), label)), literal('@'), domain);
}

/** Matches web addresses without query and fragment, a part of what RFC 3986 allows. */
function uri(): Expression {
  const segment = sequence(literal('/'), repeat(oneCharacterOf(lower, DIGIT, [0x2d, 0x2d]), 0, 16));
  return sequence(choice([literal('https://'), literal('http://')]), domain, repeat(segment, 0, 4));
}

/** A value of `format` for strings. */
export interface TextFormat {
  /** The texts that the grammar writes, a subset of the valid texts. Absent if no grammar can express the format. */
  written?: TextTree;
  /** True for a valid text. If it is absent, the written texts are the valid ones. */
  isValid?(text: string): boolean;
}

/**
 * Returns a format whose written texts are made at their first use. Making the texts of all formats takes tens of ms,
 * which each thread that prepares requests would need at its start.
 */
function writing(make: () => TextTree, isValid?: (text: string) => boolean): TextFormat {
  let made: TextTree | undefined;
  return {
    ...(isValid && { isValid }),
    get written() {
      made ??= make();
      return made;
    },
  };
}

const built = (make: () => Expression, isValid?: (text: string) => boolean) =>
  writing(() => expressionTree(make()), isValid);

/** The supported values of `format` for strings. */
export const TEXT_FORMATS: ReadonlyMap<string, TextFormat> = new Map<string, TextFormat>([
  ['date', built(fullDate)],
  ['time', built(fullTime)],
  ['date-time', built(() => sequence(fullDate(), literal('T'), fullTime()))],
  ['email', built(email, isEmail)],
  ['idn-email', built(email, isEmail)],
  ['uuid', built(uuid)],
  ['guid', built(uuid)],
  ...['uri', 'url', 'iri', 'uri-template'].map((name): [string, TextFormat] => [name, built(uri, isAddress)]),
  ...Object.entries(FORMAT_PATTERNS).map(([name, pattern]): [string, TextFormat] => [
    name,
    writing(() => ours(pattern)),
  ]),
  ['regex', { isValid: isRegex }],
  ['json-string', { isValid: isJson }],
]);

/** Reads a pattern of our own. */
function ours(pattern: string): TextTree {
  return readPattern(pattern, (reason) => new Error(`${pattern} ${reason}`));
}

function isEmail(text: string): boolean {
  return /^[^@\s]+@[^@\s]+$/u.test(text);
}

function isAddress(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/u.test(text);
}

function isRegex(text: string): boolean {
  try {
    return Boolean(new RegExp(text, 'u'));
  } catch {
    return false;
  }
}
