import { includesType, isRecord, typeOfValue } from '../../contract/json-schema.ts';
import { typeList } from '../schema/types.ts';
import { isMultiple } from './decimal.ts';

/** Returns the rule that a value violates, as in "must be ...", or undefined if the value obeys the keyword. */
export type PlainCheck = (value: unknown, limit: unknown) => string | undefined;

const number = (isRight: (value: number, limit: number) => boolean, must: string): PlainCheck => {
  return (value, limit) =>
    typeof value !== 'number' || isRight(value, Number(limit)) ? undefined : `must be ${must} ${limit}`;
};

const count = (sizeOf: (value: unknown) => number | undefined, isMost: boolean, what: string): PlainCheck => {
  return (value, limit) => {
    const size = sizeOf(value);
    if (size === undefined || (isMost ? size <= Number(limit) : size >= Number(limit))) return undefined;
    return `must have at ${isMost ? 'most' : 'least'} ${limit} ${what}`;
  };
};

const lengthOf = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined);
const itemsOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const membersOf = (value: unknown) => (isRecord(value) ? Object.keys(value).length : undefined);

/** The keywords whose check needs only the value and the value of the keyword. */
export const PLAIN_CHECKS: ReadonlyMap<string, PlainCheck> = new Map<string, PlainCheck>([
  [
    'type',
    (value, types) =>
      includesType(typeList(types), typeOfValue(value)) ? undefined : `must be of type ${typeList(types).join(' or ')}`,
  ],
  ['const', (value, only) => (sameValue(value, only) ? undefined : 'must be the constant')],
  [
    'enum',
    (value, listed) =>
      Array.isArray(listed) && listed.some((one) => sameValue(one, value))
        ? undefined
        : 'must be one of the listed values',
  ],
  ['minimum', number((value, limit) => value >= limit, 'at least')],
  ['maximum', number((value, limit) => value <= limit, 'at most')],
  ['exclusiveMinimum', number((value, limit) => value > limit, 'above')],
  ['exclusiveMaximum', number((value, limit) => value < limit, 'below')],
  ['multipleOf', number(isMultiple, 'a multiple of')],
  ['minLength', count(lengthOf, false, 'characters')],
  ['maxLength', count(lengthOf, true, 'characters')],
  ['minItems', count(itemsOf, false, 'items')],
  ['maxItems', count(itemsOf, true, 'items')],
  ['minProperties', count(membersOf, false, 'properties')],
  ['maxProperties', count(membersOf, true, 'properties')],
  [
    'uniqueItems',
    (value, mustBe) => {
      if (!Array.isArray(value) || mustBe !== true) return undefined;
      const seen = new Map<string, number>();
      for (const [index, item] of value.entries()) {
        const text = canonical(item);
        const same = seen.get(text);
        if (same !== undefined) return `must have no equal items, but ${same} and ${index} are`;
        seen.set(text, index);
      }
      return undefined;
    },
  ],
  [
    'required',
    (value, names) => {
      const missing =
        isRecord(value) && Array.isArray(names) ? names.find((name) => !Object.hasOwn(value, name)) : undefined;
      return missing === undefined ? undefined : `must have the property ${JSON.stringify(missing)}`;
    },
  ],
]);

/** True if two JSON values are equal. The order of members does not matter. */
function sameValue(some: unknown, other: unknown): boolean {
  if (Array.isArray(some) && Array.isArray(other)) {
    return some.length === other.length && some.every((item, index) => sameValue(item, other[index]));
  }
  if (!isRecord(some) || !isRecord(other)) return some === other;
  const names = Object.keys(some);
  const isSame = (name: string) => Object.hasOwn(other, name) && sameValue(some[name], other[name]);
  return names.length === Object.keys(other).length && names.every(isSame);
}

/** Writes a value as text that is the same for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
