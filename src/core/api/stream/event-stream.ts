import { ApiError, errorBody, toErrorData } from '../../errors.ts';
import type { GenerationEvent } from '../../events.ts';
import type { Ping } from './pings.ts';
import { SSE_DONE, sseEvent } from './sse.ts';

export type StreamEvent = GenerationEvent | Ping;

/**
 * The SSE text of one request's generations. `encode` turns an event into text, '' when it says nothing to the client.
 * A failure midway becomes an error event, and then there is no [DONE]: the status has gone out long since, and a cut
 * reply must not look whole. `onFailure` hears of errors that the client is not told the inside of.
 */
export async function* eventStream(
  first: IteratorResult<StreamEvent>,
  rest: AsyncGenerator<StreamEvent>,
  encode: (event: StreamEvent) => string,
  onFailure: (error: unknown) => void,
): AsyncGenerator<string> {
  try {
    let done = false;
    for (let next = first; !next.done; next = await rest.next()) {
      const text = encode(next.value);
      if (text !== '') yield text;
      done = next.value.kind === 'done';
    }
    if (!done) throw new Error('the generation ended without its last event');
    yield SSE_DONE;
  } catch (error) {
    if (!(error instanceof ApiError)) onFailure(error);
    yield sseEvent(errorBody(toErrorData(error)));
  } finally {
    await rest.return(undefined);
  }
}
