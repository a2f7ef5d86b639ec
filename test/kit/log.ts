import type { Log } from '../../src/contract/log.ts';

const ignore = () => {};

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Returns a log that adds each line to `lines`: the message and its fields in JSON. */
export function recordingLog(lines: string[]): Log {
  const record = (message: string, fields: Record<string, unknown> = {}) =>
    lines.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: record, info: record, warn: record, error: record };
}
