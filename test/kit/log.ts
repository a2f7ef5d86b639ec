import type { Log } from '../../src/contract/log.ts';

const ignore = () => {};

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** A log that keeps its lines, each as the message and its fields in JSON. */
export function recordingLog(lines: string[]): Log {
  const record = (message: string, fields: Record<string, unknown> = {}) =>
    lines.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: record, info: record, warn: record, error: record };
}
