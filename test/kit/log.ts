import type { Log } from '../../src/contract/log.ts';

export { silentLog } from '../../src/contract/log.ts';

/** Returns a log that adds each line to `lines`: the message and its fields in JSON. */
export function recordingLog(lines: string[]): Log {
  const record = (message: string, fields: Record<string, unknown> = {}) =>
    lines.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: record, info: record, warn: record, error: record };
}
