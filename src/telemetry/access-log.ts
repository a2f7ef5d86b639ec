import type { RequestRecord } from '../api/record.ts';
import type { Log } from '../contract/log.ts';

/** The routes that monitors request every few seconds. They are logged at the level debug only. */
const ROUTINE = new Set(['/health', '/ready', '/metrics']);

/** Writes the line of a request that has ended. */
export type AccessLog = (record: RequestRecord) => void;

/**
 * Makes the access log: one line for each request, without prompts, replies and keys. Returns null for a log level at which these lines
 * are not written, so that no time is spent on them.
 */
export function createAccessLog(log: Log, level: string): AccessLog | null {
  if (level !== 'debug' && level !== 'info') return null;
  return (record) => {
    if (!ROUTINE.has(record.route)) log.info('request', toFields(record));
    else if (level === 'debug') log.debug('request', toFields(record));
  };
}

/** Sets the fields one by one, which is faster than spreading objects: this runs for each request. */
function toFields(record: RequestRecord): Record<string, unknown> {
  const { trace, key, began, firstPiece, queuedMs } = record;
  const fields: Record<string, unknown> = { requestId: trace.requestId };
  if (key) fields.key = key.name;
  if (trace.model !== undefined) fields.model = trace.model;
  fields.method = record.method;
  fields.route = record.route;
  fields.status = record.status;
  fields.ms = rounded(record.ended - began);
  if (record.promptTokens > 0) {
    fields.promptTokens = record.promptTokens;
    fields.cachedTokens = record.cachedTokens;
    fields.completionTokens = record.completionTokens;
  }
  if (firstPiece > 0) fields.ttftMs = rounded(firstPiece - began);
  if (queuedMs > 0) fields.queuedMs = rounded(queuedMs);
  if (record.finish !== null) fields.finish = record.finish;
  if (record.error !== null) fields.error = record.error;
  return fields;
}

/** Tenths of a millisecond are enough for people. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
