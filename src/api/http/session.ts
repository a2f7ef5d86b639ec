/** The headers in which agents name a conversation: Codex's, and the one that many other agents send. */
const SESSION_HEADERS = ['session_id', 'x-session-id'];

/** The length to which a name is cut, in characters. It only has to distinguish conversations. */
const LONGEST_NAME = 256;

/** Returns the client's name for its conversation, if its headers have one. */
export function sessionOf(headers: Record<string, string>): string | undefined {
  for (const name of SESSION_HEADERS) if (headers[name]) return headers[name].slice(0, LONGEST_NAME);
  return undefined;
}
