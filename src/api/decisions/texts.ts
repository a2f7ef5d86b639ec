import * as v from 'valibot';
import { isObject } from '../../utils/json.ts';

/** A text, JSON that stands for one, or nothing. */
export type Statement = string | object | null;

/** A text, or JSON that stands for one. */
export const statement = v.union(
  [v.string(), v.custom<object>((value) => isObject(value) || Array.isArray(value))],
  'must be a string, an object or an array',
);

/** Returns a statement as text: JSON in its shortest form, and '' if there is none. */
export function statementText(value: Statement | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Accepts an empty array: the fields of files that this server can't read. */
export const noFiles = v.nullish(
  v.pipe(v.array(v.unknown(), 'must be an array'), v.maxLength(0, 'must be empty: decisions read text only')),
);
