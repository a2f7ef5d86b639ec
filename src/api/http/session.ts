/** Headers by which agents tell one conversation from another: Codex's, and the one that many others send. */
const SESSION_HEADERS = ['session_id', 'x-session-id'];

/** A longer name is cut: it only has to tell conversations apart. In characters. */
const LONGEST_NAME = 256;

/** Returns the client's name for its conversation, if its headers have one. */
export function sessionOf(headers: Record<string, string>): string | undefined {
  for (const name of SESSION_HEADERS) if (headers[name]) return headers[name].slice(0, LONGEST_NAME);
  return undefined;
}
