import { ApiError, type ErrorData, toErrorData } from '../../contract/errors.ts';
import type { GenerationEvent } from '../../contract/events.ts';
import { toLogFields } from '../../contract/log.ts';
import type { RequestContext } from '../context.ts';
import { errorBody } from '../http/dialect.ts';
import type { ApiReply } from '../http/http.ts';
import { CLIENT_LEFT, endRecord } from '../record.ts';
import { cancelOnReturn, hasLeft, reasonForClient } from './cancel.ts';
import { type Ping, withPings } from './pings.ts';
import { SSE_DONE, SSE_HEADERS, sseEvent } from './sse.ts';

/** An event of a generation's stream, pings included. */
export type GenerationStreamEvent = GenerationEvent | Ping;

/** Turns the events of a stream into text. */
export interface StreamEncoding<E> {
  /** The SSE text at the beginning of the stream. The default is none. */
  opening?: string;
  /** Returns the SSE text of an event, or '' if it has nothing for the client. */
  encode: (event: E | Ping) => string;
  /** The text after the last event of a complete stream. The default is OpenAI's [DONE]. */
  closing?: string;
  /** Returns the text of an error that ends the stream. The default is OpenAI's. */
  encodeError?: (error: ErrorData) => string;
  /** The headers of the reply. The default is those of server-sent events. */
  headers?: Record<string, string>;
  /** True for the last event of a complete stream. */
  isLast: (event: E) => boolean;
  /**
   * True for an event at the beginning after which an error can still become a status code. The event is left out, and
   * the reply waits for the next event. By default, there is no such event.
   */
  isPrelude?: (event: E) => boolean;
}

/**
 * Makes a reply that streams events. It aborts `cancel` when the client leaves. An error before the first event that is
 * not a prelude throws here, so it can still become a status code.
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
  const onFailure = (error: unknown) => context.log.error('stream failed', toLogFields(error));
  const onEnd = (error: ErrorData | null) => {
    if (error) context.record.error = error.code;
    else if (hasLeft(cancel.signal)) context.record.error = CLIENT_LEFT.code;
    endRecord(context.record, context);
  };
  const stream = eventStream(first, pinged, encoding, cancel.signal, onFailure, onEnd);
  return { status: 200, headers: encoding.headers ?? SSE_HEADERS, body: cancelOnReturn(stream, cancel) };
}

/**
 * Turns the events of one request into text. An error midway becomes an error event, and nothing closes the stream: the
 * status has already been sent, and an incomplete reply must not look complete. If `signal` was aborted with an error
 * for the client, the event has that error. After the client has disconnected, errors are ignored, because the work was
 * aborted. `onFailure` gets the errors whose details clients must not see. `onEnd` is called when the stream has ended
 * or its reader has left, with the error that the client got, or null.
 */
export async function* eventStream<E extends object>(
  first: IteratorResult<E | Ping>,
  rest: AsyncGenerator<E | Ping>,
  { opening = '', closing = SSE_DONE, encode, encodeError = openAiError, isLast }: StreamEncoding<E>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
  onEnd: (error: ErrorData | null) => void = () => {},
): AsyncGenerator<string> {
  let told: ErrorData | null = null;
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
    if (closing !== '') yield closing;
  } catch (thrown) {
    if (hasLeft(signal)) return;
    const error = reasonForClient(signal) ?? thrown;
    if (!(error instanceof ApiError)) onFailure(error);
    told = toErrorData(error);
    yield encodeError(told);
  } finally {
    onEnd(told);
    await rest.return(undefined);
  }
}

function openAiError(error: ErrorData): string {
  return sseEvent(errorBody(error));
}

function isPing(event: object): event is Ping {
  return 'kind' in event && event.kind === 'ping';
}
