/** Server-Sent Events, as the chat stream uses them: https://html.spec.whatwg.org/multipage/server-sent-events.html */

export const SSE_HEADERS: Record<string, string> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Tells nginx and its like not to hold the stream back.
  'x-accel-buffering': 'no',
};

/** A comment line: clients ignore it, and the connection counts as alive. */
export const SSE_PING = ': ping\n\n';

export const SSE_DONE = 'data: [DONE]\n\n';

/** One event. JSON text has no raw line breaks, so it always fits one line. */
export function sseEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
