import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createJsonScan } from '../api/http/json-scan.ts';
import type { BatchProblem } from '../contract/batches.ts';
import { ApiError } from '../contract/errors.ts';
import { isObject } from '../utils/json.ts';

/** A request in the file of a batch. */
export interface BatchLine {
  customId: string;
  /** The JSON body of the request. */
  body: string;
}

/** What is wrong with a line, without its number. */
export type LineProblem = Omit<BatchProblem, 'line'>;

const LONGEST_CUSTOM_ID = 512;
const BYTE_ORDER_MARK = /^\uFEFF/;
const NEWLINE = 10;
const PIECE_BYTES = 64 * 1024;

/**
 * Yields the lines of a file that are not empty, with their numbers from 1 on. Only a line feed ends a line: a JSON text may hold
 * the other line breaks of Unicode.
 */
export async function* linesOf(path: string): AsyncGenerator<{ number: number; text: string }> {
  let rest = '';
  let number = 0;
  for await (const piece of createReadStream(path, { encoding: 'utf8', highWaterMark: PIECE_BYTES })) {
    const [first = '', ...others] = (piece as string).split('\n');
    rest += first;
    for (const next of others) {
      number += 1;
      const text = number === 1 ? rest.replace(BYTE_ORDER_MARK, '') : rest;
      if (/\S/.test(text)) yield { number, text };
      rest = next;
    }
  }
  if (/\S/.test(rest)) yield { number: number + 1, text: number === 0 ? rest.replace(BYTE_ORDER_MARK, '') : rest };
}

/** Reads a line of the file of a batch for this endpoint. Returns what is wrong with it, if anything is. */
export function readLine(text: string, endpoint: string): BatchLine | LineProblem {
  const { line, wrong } = parse(text);
  if (!line) return wrong;
  const { custom_id: customId, method, url, body } = line;
  if (typeof customId !== 'string' || customId === '' || customId.length > LONGEST_CUSTOM_ID)
    return problem(
      'invalid_custom_id',
      `custom_id must be a text of 1 to ${LONGEST_CUSTOM_ID} characters.`,
      'custom_id',
    );
  if (method !== 'POST') return problem('invalid_method', 'method must be POST.', 'method');
  if (url !== endpoint) return problem('invalid_url', `url must be ${endpoint}, the endpoint of the batch.`, 'url');
  if (!isObject(body)) return problem('invalid_body', 'body must be a JSON object.', 'body');
  if (body.stream === true)
    return problem('stream_not_supported', 'body.stream must not be true: a batch streams nothing.', 'body.stream');
  return { customId, body: JSON.stringify(body) };
}

/** Parses a line within the limits of any request body, so that no line holds up other requests. */
function parse(text: string): { line: Record<string, unknown>; wrong?: never } | { line?: never; wrong: LineProblem } {
  try {
    createJsonScan().look(Buffer.from(text));
    const line: unknown = JSON.parse(text);
    if (isObject(line)) return { line };
  } catch (error) {
    if (error instanceof ApiError) return { wrong: problem(error.data.code, error.data.message, null) };
  }
  return { wrong: problem('invalid_json_line', 'The line is not a JSON object.', null) };
}

function problem(code: string, message: string, param: string | null): LineProblem {
  return { code, message, param };
}

/**
 * Removes a last line that has no line feed: a write of it was cut off. Does nothing without such a file. Throws the
 * error of the file system if the file can't be read or changed.
 */
export async function dropTornLine(path: string): Promise<void> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!file) return;
  try {
    const buffer = Buffer.alloc(PIECE_BYTES);
    for (let end = (await file.stat()).size; end > 0; ) {
      const start = Math.max(0, end - PIECE_BYTES);
      const { bytesRead } = await file.read(buffer, 0, end - start, start);
      const last = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
      if (last !== -1) return await file.truncate(start + last + 1);
      end = start;
    }
    await file.truncate(0);
  } finally {
    await file.close();
  }
}
