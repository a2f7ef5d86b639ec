import { ApiError, errorBody, toErrorData } from '../../errors.ts';
import type { GenerationEvent } from '../../events.ts';
import { toLogFields } from '../../log.ts';
import type { RequestContext } from '../context.ts';
import type { ApiReply } from '../http/http.ts';
import { cancelOnReturn } from './cancel.ts';
import { type Ping, withPings } from './pings.ts';
import { SSE_DONE, SSE_HEADERS, sseEvent } from './sse.ts';

/** What the encoder of a generation's stream is given. */
export type GenerationStreamEvent = GenerationEvent | Ping;

/** How the events of a stream become text. */
export interface StreamEncoding<E> {
  /** The SSE text that every stream begins with; by default none. */
  opening?: string;
  /** The SSE text of an event, '' when it says nothing to the client. */
  encode: (event: E | Ping) => string;
  /** Whether the event is the last one of a stream that is whole. */
  isLast: (event: E) => boolean;
  /** Whether the event promises nothing yet, so that it is left out and the status code waits for the next; by default none does. */
  isPrelude?: (event: E) => boolean;
}

/**
 * The reply that streams events. A client that leaves aborts `cancel`. Whatever fails before the first event that promises
 * something throws here, and so is still a status code.
 */
export async function streamReply<E extends object>(
  context: RequestContext,
  events: AsyncIterable<E>,
  cancel: AbortController,
  encoding: StreamEncoding<E>,
): Promise<ApiReply> {
  const pinged = withPings(events, context.pingIntervalMs);
  const { isPrelude = () => false } = encoding;
  let first = await pinged.next();
  while (!first.done && !isPing(first.value) && isPrelude(first.value)) first = await pinged.next();
  const stream = eventStream(first, pinged, encoding, (error) => {
    if (!cancel.signal.aborted) context.log.error('stream failed', toLogFields(error));
  });
  return { status: 200, headers: SSE_HEADERS, body: cancelOnReturn(stream, cancel) };
}

/**
 * The SSE text of one request's events. A failure midway becomes an error event, and then there is no
 * [DONE]: the status has gone out long since, and a cut reply must not look whole. `onFailure` is told of errors that the
 * client must not see.
 */
export async function* eventStream<E extends object>(
  first: IteratorResult<E | Ping>,
  rest: AsyncGenerator<E | Ping>,
  { opening = '', encode, isLast }: StreamEncoding<E>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<string> {
  try {
    if (opening !== '') yield opening;
    let whole = false;
    for (let next = first; !next.done; next = await rest.next()) {
      const event = next.value;
      const text = encode(event);
      if (text !== '') yield text;
      whole = !isPing(event) && isLast(event);
    }
    if (!whole) throw new Error('the stream ended without its last event');
    yield SSE_DONE;
  } catch (error) {
    if (!(error instanceof ApiError)) onFailure(error);
    yield sseEvent(errorBody(toErrorData(error)));
  } finally {
    await rest.return(undefined);
  }
}

function isPing(event: object): event is Ping {
  return 'kind' in event && event.kind === 'ping';
}
