import { type ApiError, invalidRequest } from '../../contract/errors.ts';
import type { ApiRequest } from './http.ts';
import { wrongMediaType } from './refusals.ts';

/** A field of a form. */
export interface FormPart {
  name: string;
  /** True if the field is a file. */
  isFile: boolean;
  /** The name of a file, as the client gives it; '' without one. */
  fileName: string;
  bytes: Uint8Array;
}

/** The most fields of a form, and the most bytes of the headers of one field. */
const MOST_PARTS = 64;
const MOST_HEADER_BYTES = 4096;

const BREAK = [13, 10];
const END_OF_HEADERS = [13, 10, 13, 10];
const findEndOfHeaders = createFind(END_OF_HEADERS);
const DASHES = [45, 45];

/**
 * Returns the fields of a form, in their order: https://www.rfc-editor.org/rfc/rfc7578. Throws a 415 `ApiError` for another content
 * type, a 413 for a body over the limit, and a 400 for a body that is not a form.
 */
export async function parseForm(request: Pick<ApiRequest, 'headers' | 'bytes'>): Promise<FormPart[]> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(type))
    throw wrongMediaType('a form, sent with Content-Type: multipart/form-data');
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || boundary.length > 200) throw malformed('its content type has no boundary');
  return split(await request.bytes(), new TextEncoder().encode(`\r\n--${boundary}`));
}

/** Splits a body at each boundary, which begins with a line break. */
function split(body: Uint8Array, boundary: Uint8Array): FormPart[] {
  const parts: FormPart[] = [];
  const find = createFind(boundary);
  // The first boundary has no line break before it, unless there is a preamble.
  let end = startsWith(body, 0, boundary.subarray(2)) ? -2 : findBoundary(body, 0, find, boundary.length);
  while (end !== -1) {
    const after = end + boundary.length;
    if (startsWith(body, after, DASHES)) return parts;
    if (!startsWith(body, after, BREAK)) break;
    const start = after + BREAK.length;
    const next = findBoundary(body, after, find, boundary.length);
    if (next === -1) break;
    if (parts.length === MOST_PARTS) {
      throw invalidRequest(`The form has more than ${MOST_PARTS} fields.`, null, 'too_many_fields');
    }
    parts.push(readPart(body.subarray(start, Math.max(start, next))));
    end = next;
  }
  throw malformed('it has no last boundary');
}

function readPart(part: Uint8Array): FormPart {
  const end = findEndOfHeaders(part.subarray(0, MOST_HEADER_BYTES), 0);
  if (end === -1) throw malformed(`a field has no headers, or more than ${MOST_HEADER_BYTES} bytes of them`);
  const headers = new TextDecoder().decode(part.subarray(0, end));
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? '';
  const name = parameter(disposition, 'name');
  if (name === null) throw malformed('a field has no name');
  const fileName = parameter(disposition, 'filename');
  const isFile = fileName !== null || /;\s*filename\*=/i.test(`;${disposition}`);
  return { name, isFile, fileName: fileName ?? '', bytes: part.subarray(end + END_OF_HEADERS.length) };
}

/** Returns a parameter of a header. Browsers write a quotation mark within it as %22. */
function parameter(header: string, name: string): string | null {
  const [, quoted, plain] =
    new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, '$1').replaceAll('%22', '"') ?? plain ?? null;
}

/** Returns the position of the next boundary, which ends its line or has two dashes after it; -1 if there is none. */
function findBoundary(body: Uint8Array, from: number, find: Find, length: number): number {
  for (let at = find(body, from); at !== -1; at = find(body, at + 1)) {
    const after = at + length;
    if (startsWith(body, after, BREAK) || startsWith(body, after, DASHES)) return at;
  }
  return -1;
}

/** Returns the position of a sequence from another position on; -1 if it is not there. */
type Find = (bytes: Uint8Array, from: number) => number;

/**
 * Makes the search for a sequence. It looks at the last byte first, and skips as many bytes as that one allows, so that a
 * long file takes little time: https://en.wikipedia.org/wiki/Boyer-Moore-Horspool_algorithm
 */
function createFind(sequence: ArrayLike<number>): Find {
  const { length } = sequence;
  const skips = new Uint16Array(256).fill(length);
  for (let index = 0; index < length - 1; index++) skips[sequence[index] ?? 0] = length - 1 - index;
  return (bytes, from) => {
    for (let at = from; at + length <= bytes.length; at += skips[bytes[at + length - 1] ?? 0] ?? 1)
      if (startsWith(bytes, at, sequence)) return at;
    return -1;
  };
}

function startsWith(bytes: Uint8Array, at: number, sequence: ArrayLike<number>): boolean {
  for (let index = 0; index < sequence.length; index++) if (bytes[at + index] !== sequence[index]) return false;
  return true;
}

function malformed(why: string): ApiError {
  return invalidRequest(`The request body is not a valid form: ${why}.`, null, 'invalid_form');
}
