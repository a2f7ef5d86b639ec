/** The longest id that a client may choose, in characters. */
const LONGEST_ID = 128;

/** Printable ASCII only, because the id goes into the log and into a reply header. */
const TAKEN = /^[\x21-\x7e]+$/;

/** Returns the client's own `x-request-id` if it is safe to log, else a new id. */
export function requestIdOf(headers: Record<string, string>): string {
  const given = headers['x-request-id'] ?? '';
  return given.length <= LONGEST_ID && TAKEN.test(given) ? given : crypto.randomUUID();
}

/** Returns the headers with the id of the request. Some clients read one of the two names, some the other. */
export function requestIdHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'request-id': requestId };
}
