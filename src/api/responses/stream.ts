import type { GenerationEvent } from '../../contract/events.ts';
import type { StreamEncoding } from '../stream/event-stream.ts';
import { SSE_PING, sseComment, sseTypedEvent } from '../stream/sse.ts';
import type { NumberedEvent, ResponseObject } from './objects.ts';
import type { ResponseWriter } from './writer.ts';

/** An event of the generation, and what the client hears of it. */
export interface Spoken {
  kind: GenerationEvent['kind'];
  text: string;
}

/** Turns a generation's events into text. `keep` has done its work before the client hears that the response has ended. */
export async function* speak(
  events: AsyncIterable<GenerationEvent>,
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
 * The stream of a response. An error that comes after its beginning, which may be a ping, ends it with `response.failed` and
 * the code that the status would have come with.
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
