import type { ErrorData } from '../../errors.ts';
import { errorBody } from '../http/dialect.ts';

export const NDJSON_HEADERS: Record<string, string> = {
  'content-type': 'application/x-ndjson',
  'cache-control': 'no-cache',
  // Tells nginx and similar proxies not to buffer the stream.
  'x-accel-buffering': 'no',
};

/** One line. JSON text has no raw line breaks. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** How all of Ollama's streams are sent: lines of JSON, the last of which tells that it is the last. */
export const NDJSON = {
  headers: NDJSON_HEADERS,
  closing: '',
  encodeError: (error: ErrorData): string => jsonLine(errorBody(error, 'ollama')),
};
