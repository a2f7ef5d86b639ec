import * as v from 'valibot';
import { ApiError, errorBody, notSupportedHere, serverError, toErrorData } from '../../errors.ts';
import type { PullEvent } from '../../puller.ts';
import type { ApiContext } from '../context.ts';
import { booleanField, nonEmptyText, validate } from '../fields/fields.ts';
import { undefinedFields } from '../fields/support.ts';
import { type ApiReply, type ApiRequest, jsonReply, parseJsonBody } from '../http/http.ts';
import { cancelOnReturn, cancelWith } from '../stream/cancel.ts';
import { type Ping, withPings } from '../stream/pings.ts';
import { SSE_DONE, SSE_HEADERS, SSE_PING, sseEvent } from '../stream/sse.ts';
import { toModel } from './handler.ts';

/** The body of POST /v1/models/pull. It streams unless told not to: pulls take minutes. */
export const pullRequestSchema = v.looseObject(
  { model: nonEmptyText, stream: v.nullish(booleanField) },
  'must be a JSON object',
);

/**
 * POST /v1/models/pull: fetches a model and tells how far it is. A client that leaves ends its pull; what is fetched by
 * then stays for the next one. Throws an `ApiError` for what is wrong before the first byte could be fetched.
 */
export async function pullModel(context: ApiContext, request: ApiRequest): Promise<ApiReply> {
  const body = validate(pullRequestSchema, parseJsonBody(request));
  context.noteUnknownFields(undefinedFields(body, pullRequestSchema.entries));
  if (!context.puller) throw notSupportedHere('This Paddock can not pull models.');
  const cancel = cancelWith(request.signal);
  const events = context.puller.pull(body.model, cancel.signal);
  if (body.stream === false) {
    for await (const event of events) if (event.status === 'done') return jsonReply(pulledModel(context, event.model));
    throw serverError();
  }
  return streamPull(context, events, cancel);
}

/**
 * The stream of events of whatever puts a model into the catalogue; its client's leaving aborts `cancel`. Throws an
 * `ApiError` for what fails before there is more to tell than that it resolves.
 */
export async function streamPull(
  context: ApiContext,
  events: AsyncIterable<PullEvent>,
  cancel: AbortController,
): Promise<ApiReply> {
  const pinged = withPings(events, context.pingIntervalMs);
  let first = await pinged.next();
  // Until the host has said what there is to fetch, whatever fails can still be a status code.
  while (!first.done && isPrelude(first.value)) first = await pinged.next();
  return {
    status: 200,
    headers: SSE_HEADERS,
    body: cancelOnReturn(pullStream(context, first, pinged, cancel), cancel),
  };
}

async function* pullStream(
  context: ApiContext,
  first: IteratorResult<PullEvent | Ping>,
  rest: AsyncGenerator<PullEvent | Ping>,
  { signal }: AbortController,
): AsyncGenerator<string> {
  try {
    yield sseEvent({ status: 'resolving' });
    let done = false;
    for (let next = first; !next.done; next = await rest.next()) {
      yield encode(context, next.value);
      done = 'status' in next.value && next.value.status === 'done';
    }
    if (!done) throw new Error('the pull ended without its last event');
    yield SSE_DONE;
  } catch (error) {
    if (!(error instanceof ApiError) && !signal.aborted) context.log.error('pull failed', { error: String(error) });
    yield sseEvent(errorBody(toErrorData(error)));
  } finally {
    await rest.return(undefined);
  }
}

function isPrelude(event: PullEvent | Ping): boolean {
  return 'status' in event && event.status === 'resolving';
}

function encode(context: ApiContext, event: PullEvent | Ping): string {
  if ('kind' in event) return SSE_PING;
  if (event.status === 'downloading') {
    const { bytesPerSecond: bytes_per_second, secondsLeft: seconds_left, ...progress } = event;
    return sseEvent({ ...progress, bytes_per_second, seconds_left });
  }
  if (event.status !== 'done') return sseEvent(event);
  return sseEvent({
    status: 'done',
    already_here: event.alreadyHere,
    model: pulledModel(context, event.model),
  });
}

function pulledModel({ catalogue, runner }: ApiContext, id: string) {
  const card = catalogue.find(id);
  if (!card) throw serverError(`The model '${id}' has been fetched but can not be served; the server's log says why.`);
  return toModel(
    card,
    runner.loaded().find((model) => model.id === id),
  );
}
