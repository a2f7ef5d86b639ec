import type { ApiRequest } from '../../../src/api/http/http.ts';
import type { MessageEvent } from '../../../src/api/messages/stream.ts';
import { hello, post } from '../fixtures.ts';

/** The smallest body of a message request, with these fields. */
export function messageBody(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...hello, max_tokens: 16, ...more };
}

export function message(more: Record<string, unknown> = {}, overrides: Partial<ApiRequest> = {}): ApiRequest {
  return post('/v1/messages', messageBody(more), overrides);
}

/** An event of a stream as its client reads it, or an error in its place. */
export type StreamedEvent = MessageEvent | { type: 'error'; error: { type: string; message: string } };

/** Reads the events of a stream, without comments. Throws if the name of one is not its type. */
export function eventsOf(stream: string): StreamedEvent[] {
  if (!stream.endsWith('\n\n')) throw new Error('the stream does not end with a blank line');
  const events = stream.slice(0, -2).split('\n\n');
  return events
    .filter((event) => !event.startsWith(':'))
    .map((event) => {
      const [, name, data] = /^event: (\w+)\ndata: ([^\n]+)$/.exec(event) ?? [];
      const parsed = JSON.parse(data ?? 'null');
      if (parsed?.type !== name) throw new Error(`not an event with its name: ${event}`);
      return parsed;
    });
}
