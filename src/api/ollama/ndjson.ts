import type { ErrorData } from '../../contract/errors.ts';
import { errorBody } from '../http/dialect.ts';
import { streamHeaders } from '../stream/headers.ts';

/** One line. JSON text has no raw line breaks. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** How all of Ollama's streams are sent: lines of JSON, the last of which tells that it is the last. */
export const NDJSON = {
  headers: streamHeaders('application/x-ndjson'),
  closing: '',
  encodeError: (error: ErrorData): string => jsonLine(errorBody(error, 'ollama')),
};
