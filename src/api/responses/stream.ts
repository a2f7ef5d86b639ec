import type { ReplyEvent } from '../mcp/events.ts';
import type { StreamEncoding } from '../stream/event-stream.ts';
import { SSE_PING, sseComment, sseTypedEvent } from '../stream/sse.ts';
import type { NumberedEvent, ResponseObject } from './objects.ts';
import type { ResponseWriter } from './writer.ts';

/** An event of the reply, and the text of the server-sent events that the client gets for it. */
export interface Spoken {
  kind: ReplyEvent['kind'];
  text: string;
}

/** Turns a reply's events into text. It waits for `keep` before the client gets the last event. */
export async function* encodeResponseStream(
  events: AsyncIterable<ReplyEvent>,
  writer: ResponseWriter,
  keep: (response: ResponseObject) => Promise<void>,
): AsyncGenerator<Spoken> {
  for await (const event of events) {
    const said = encodeEvents(writer.write(event));
    if (event.kind === 'done') await keep(writer.response());
    yield { kind: event.kind, text: event.kind === 'pause' ? sseComment(event.reason) : said };
  }
}

/**
 * Returns the encoding of a response's stream. An error after the stream has begun, if only with a ping, ends it with
 * `response.failed` and the error's code.
 */
export function responseEncoding(writer: ResponseWriter): StreamEncoding<Spoken> {
  return {
    opening: encodeEvents(writer.begin()),
    encode: (event) => (event.kind === 'ping' ? SSE_PING : event.text),
    closing: '',
    encodeError: (error) => encodeEvents(writer.fail(error)),
    isLast: ({ kind }) => kind === 'done',
  };
}

function encodeEvents(events: NumberedEvent[]): string {
  return events.map(sseTypedEvent).join('');
}
