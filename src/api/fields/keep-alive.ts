import * as v from 'valibot';
import type { RequestRecord } from '../record.ts';

/** The units of Go's durations, which Ollama's clients write, in ms. */
const UNITS: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;
const DURATION = /^-?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

const message = 'must be a duration such as 5m, or a number of seconds';

/**
 * The field `keep_alive`: how long the model stays in memory after the request. 0 unloads it; anything below 0 keeps
 * it.
 */
export const keepAliveField = v.union(
  [
    v.number(message),
    v.pipe(
      v.string(),
      v.check((text) => DURATION.test(text) || NUMBER.test(text), message),
    ),
  ],
  message,
);

/** The duration of a valid field in ms; null means for ever. */
export function toKeepMs(given: string | number): number | null {
  const ms = typeof given === 'number' || NUMBER.test(given) ? Number(given) * 1000 : durationOf(given);
  return ms < 0 ? null : ms;
}

/** Records how long the model stays in memory. The time begins at the end of the request. */
export function noteKeepAlive(record: RequestRecord, body: { keep_alive?: string | number | null | undefined }): void {
  const { keep_alive: given } = body;
  if (given !== null && given !== undefined) record.keepMs = toKeepMs(given);
}

function durationOf(text: string): number {
  const parts = [...text.matchAll(PART)];
  const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
  return text.startsWith('-') ? -ms : ms;
}
