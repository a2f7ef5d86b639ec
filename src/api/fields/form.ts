import type * as v from 'valibot';
import { invalidRequest } from '../../contract/errors.ts';
import type { ApiRequest } from '../http/http.ts';
import { type FormPart, parseForm } from '../http/multipart.ts';
import { validate } from './fields.ts';

/** The file in a field of a form. */
export class FormFile {
  readonly bytes: Uint8Array;
  /** As the client gives it; '' without one. */
  readonly name: string;

  constructor(bytes: Uint8Array, name = '') {
    this.bytes = bytes;
    this.name = name;
  }
}

/** The fields whose text is a number, and those whose text is true or false. */
const NUMBERS = ['temperature', 'expires_after[seconds]'];
const BOOLEANS = ['stream'];

/** Reads and validates the form of a request. Throws a 400, 413 or 415 `ApiError`. */
export async function readForm<S extends v.GenericSchema>(request: ApiRequest, schema: S): Promise<v.InferOutput<S>> {
  return validate(schema, toFields(await parseForm(request)), 'The form');
}

/**
 * Returns the fields of a form as an object, as JSON would have them: a field `name[]` is a list, numbers and booleans are read from
 * their texts. A text that is neither stays a text, which the schema refuses. Throws a 400 `ApiError` for a field that is there twice.
 */
function toFields(parts: FormPart[]): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const { name: written, isFile, fileName, bytes } of parts) {
    const name = written.replace(/\[\d*\]$/, '');
    const value = isFile ? new FormFile(bytes, fileName) : toValue(name, new TextDecoder().decode(bytes));
    const before = fields.get(name);
    if (name !== written) fields.set(name, [...(Array.isArray(before) ? before : []), value]);
    else if (fields.has(name)) throw invalidRequest(`${name} is in the form twice.`, name);
    else fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function toValue(name: string, text: string): unknown {
  if (NUMBERS.includes(name)) return /^\s*-?[\d.]+(e-?\d+)?\s*$/i.test(text) ? Number(text) : text;
  if (BOOLEANS.includes(name)) return { true: true, false: false, '1': true, '0': false }[text.toLowerCase()] ?? text;
  return text;
}
