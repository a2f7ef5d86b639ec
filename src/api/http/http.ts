import { type ApiError, toErrorData } from '../../contract/errors.ts';
import { type Dialect, errorBody, errorStatus } from './dialect.ts';

/** An HTTP request, in the form that every front end gives. Header names are lower-case. */
export interface ApiRequest {
  method: string;
  /** Not decoded, without the query. */
  path: string;
  /** Not decoded, without the question mark; '' if there is none. */
  query: string;
  headers: Record<string, string>;
  /** Why the front end does not want it answered, whatever it asks: the reply is this error. */
  refusal?: ApiError | undefined;
  /**
   * The whole body. Call it at most once, and before the first await: what nobody asks for by then is dropped. `look` is shown
   * the bytes piece by piece as they come; when it throws, the rest is not read. Throws a 413 `ApiError` for a body over the front
   * end's limit.
   */
  text(look?: (bytes: Uint8Array) => void): Promise<string>;
  /**
   * A front end may make it only when it is asked for, so copies of a request name their fields. Aborted when the client goes away: it
   * ends a generation that waits in a queue or for its next event. When the server ends the request while the client is there, the
   * reason is an `ApiError`, which the client is told.
   */
  signal: AbortSignal;
}

/**
 * A reply, in the form that every front end sends. The body is a text, or a stream of pieces of text. A reply to HEAD has the body
 * of GET, which a front end does not send.
 */
export interface ApiReply {
  status: number;
  headers: Record<string, string>;
  body: string | AsyncIterable<string>;
}

/** The API as one function. It never rejects, and answers a request with a `refusal` with that alone. */
export type Api = (request: ApiRequest) => Promise<ApiReply>;

export function jsonReply(value: unknown, status = 200, headers: Record<string, string> = {}): ApiReply {
  return jsonTextReply(JSON.stringify(value), status, headers);
}

/** The same, of what is JSON text already. */
export function jsonTextReply(body: string, status = 200, headers: Record<string, string> = {}): ApiReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** The reply to a request that failed, in the words of its dialect. `requestId` is null if it failed before it had one. */
export function errorReply(error: unknown, dialect: Dialect = 'openai', requestId: string | null = null): ApiReply {
  const data = toErrorData(error);
  return jsonReply(errorBody(data, dialect, requestId), errorStatus(data, dialect), data.headers);
}
