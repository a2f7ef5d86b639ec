import { streamHeaders } from './headers.ts';

/** Server-sent events, which carry every stream: https://html.spec.whatwg.org/multipage/server-sent-events.html */

export const SSE_HEADERS: Record<string, string> = streamHeaders('text/event-stream; charset=utf-8');

/** A comment line. Clients ignore it, but it shows that the connection is alive. */
export const SSE_PING = ': ping\n\n';

export const SSE_DONE = 'data: [DONE]\n\n';

/** Returns a comment: clients ignore it, but it can be read in the raw stream. Line breaks become spaces. */
export function sseComment(text: string): string {
  return `: ${text.replace(/[\r\n]+/g, ' ')}\n\n`;
}

/** Returns one event. JSON text has no raw line breaks, so it always fits one line. */
export function sseEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** Returns one event that is named by its own `type`, as in Anthropic's messages and OpenAI's responses. */
export function sseTypedEvent(data: { type: string }): string {
  return `event: ${data.type}\n${sseEvent(data)}`;
}
