import type { ErrorData } from '../../contract/errors.ts';
import { streamHeaders } from '../stream/headers.ts';
import { ollamaErrors } from './errors.ts';

/** One line. JSON text has no raw line breaks. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The encoding of all Ollama streams: lines of JSON. The last line is marked by `done` or by its status. */
export const NDJSON = {
  headers: streamHeaders('application/x-ndjson'),
  closing: '',
  encodeError: (error: ErrorData): string => jsonLine(ollamaErrors.body(error, null)),
};
