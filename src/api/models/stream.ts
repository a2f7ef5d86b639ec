import { serverError } from '../../contract/errors.ts';
import type { Model } from '../../contract/models/model.ts';
import type { PullEvent } from '../../contract/models/puller.ts';
import type { RequestContext } from '../context.ts';
import type { ApiReply } from '../http/http.ts';
import { streamReply } from '../stream/event-stream.ts';
import type { Ping } from '../stream/pings.ts';
import { SSE_PING, sseEvent } from '../stream/sse.ts';
import { toModel } from './model-object.ts';

/** Streams the events of a pull or an import. Throws an `ApiError` if it fails before it is known what to fetch. */
export function streamPull(
  context: RequestContext,
  events: AsyncIterable<PullEvent>,
  cancel: AbortController,
): Promise<ApiReply> {
  return streamReply(context, events, cancel, {
    opening: sseEvent({ status: 'resolving' }),
    encode: (event) => encode(context, event),
    isLast: ({ status }) => status === 'done',
    // Until the files to fetch are known, an error can still become a status code.
    isPrelude: ({ status }) => status === 'resolving',
  });
}

function encode(context: RequestContext, event: PullEvent | Ping): string {
  if ('kind' in event) return SSE_PING;
  switch (event.status) {
    case 'resolving':
      return '';
    case 'downloading': {
      const { bytesPerSecond: bytes_per_second, secondsLeft: seconds_left, ...progress } = event;
      return sseEvent({ ...progress, bytes_per_second, seconds_left });
    }
    case 'done':
      return sseEvent({
        status: 'done',
        already_here: event.alreadyHere,
        model: fetchedModel(context, event.model),
      });
    default:
      return sseEvent(event);
  }
}

/**
 * Returns the Model object of a model that has just come into the catalogue. Throws a 500 `ApiError` if the catalogue
 * can't serve it.
 */
export function fetchedModel({ catalogue, runner }: RequestContext, id: string): Model {
  const card = catalogue.find(id);
  if (!card) throw serverError(`The model '${id}' has been fetched but can not be served; the server's log says why.`);
  return toModel(
    card,
    runner.loaded().find((model) => model.id === id),
  );
}
