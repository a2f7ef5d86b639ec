/** The longest id that is taken from a client, in characters. */
const LONGEST_ID = 128;

/** Printable ASCII alone: the id goes into the log and back into a header. */
const TAKEN = /^[\x21-\x7e]+$/;

/** The id of a request: the client's own `x-request-id` where it is fit for the log, else a new one. */
export function requestIdOf(headers: Record<string, string>): string {
  const given = headers['x-request-id'] ?? '';
  return given.length <= LONGEST_ID && TAKEN.test(given) ? given : crypto.randomUUID();
}
