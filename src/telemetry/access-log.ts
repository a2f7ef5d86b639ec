import type { RequestRecord } from '../core/api/record.ts';
import type { Log } from '../core/log.ts';

/** What machines ask every few seconds: told at the level debug alone. */
const ROUTINE = new Set(['/health', '/ready', '/metrics']);

/** Writes the line of a request that is over. It has what operators look for, and nothing that a client wrote. */
export function logRequest(log: Log, record: RequestRecord): void {
  const { method, route, status, ended } = record;
  const write = ROUTINE.has(route) ? log.debug : log.info;
  write('request', {
    ...identityOf(record),
    method,
    route,
    status,
    ms: rounded(ended - record.began),
    ...figuresOf(record),
  });
}

function identityOf({ trace, key }: RequestRecord) {
  return {
    requestId: trace.requestId,
    ...(key && { key: key.name }),
    ...(trace.model !== undefined && { model: trace.model }),
  };
}

function figuresOf(record: RequestRecord) {
  const { promptTokens, cachedTokens, completionTokens, firstPiece, began, queuedMs, finish, error } = record;
  return {
    ...(promptTokens > 0 && { promptTokens, cachedTokens, completionTokens }),
    ...(firstPiece > 0 && { ttftMs: rounded(firstPiece - began) }),
    ...(queuedMs > 0 && { queuedMs: rounded(queuedMs) }),
    ...(finish !== null && { finish }),
    ...(error !== null && { error }),
  };
}

/** Tenths of a millisecond are enough for people. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
