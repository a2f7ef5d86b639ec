import type { RequestRecord } from '../api/record.ts';
import type { Log } from '../contract/log.ts';

/** What machines ask every few seconds: told at the level debug alone. */
const ROUTINE = new Set(['/health', '/ready', '/metrics']);

/** Writes a line of a request that is over. */
export type AccessLog = (record: RequestRecord) => void;

/**
 * Makes the access log: a line a request, with what operators look for, and neither prompts nor replies nor keys. Null for a level at which
 * there are no such lines, so that nobody puts them together.
 */
export function createAccessLog(log: Log, level: string): AccessLog | null {
  if (level !== 'debug' && level !== 'info') return null;
  return (record) => {
    if (!ROUTINE.has(record.route)) log.info('request', toFields(record));
    else if (level === 'debug') log.debug('request', toFields(record));
  };
}

/** Built field by field: this is on the way of each request. */
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
