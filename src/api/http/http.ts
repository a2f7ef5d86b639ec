import type { Party } from '../../contract/call-context.ts';
import { type ApiError, toErrorData } from '../../contract/errors.ts';
import type { ApiKey } from '../keys/key.ts';
import { openAiErrors } from './dialect.ts';

/** An HTTP request, in the form that every front end gives. Header names are lower-case. */
export interface ApiRequest {
  method: string;
  /** Not decoded, without the query. */
  path: string;
  /** Not decoded, without the question mark; '' if there is none. */
  query: string;
  headers: Record<string, string>;
  /** The error with which the front end refuses the request. The reply is this error, whatever the path. */
  refusal?: ApiError | undefined;
  /**
   * Returns the whole body. Call it at most once, and before the first await: after that, the body is dropped. `look`
   * is called with each piece of the bytes as it comes; if it throws, the rest is not read. Throws a 413 `ApiError` for
   * a body over the front end's limit.
   */
  text(look?: (bytes: Uint8Array) => void): Promise<string>;
  /** Returns the whole body as bytes. It stands in the place of `text`, with the same rules and the same errors. */
  bytes(): Promise<Uint8Array>;
  /**
   * Told the content type of a whole reply that is not JSON, before a generation begins: some front ends send the head of
   * a reply early.
   */
  expectType?: (type: string) => void;
  /**
   * Aborted when the client disconnects, even while a generation waits in a queue or for its next event. If the server
   * ends the request while the client is still connected, the reason is an `ApiError`, which the client gets. It may be
   * a getter that makes the signal when it is first read, so copy a request field by field.
   */
  signal: AbortSignal;
  /** Present if the server itself sends the request, for somebody who has asked for it before. It needs no key then. */
  onBehalf?: OnBehalf;
}

/** Whom the server sends a request for. */
export interface OnBehalf {
  /** The owner of the data that the request stores and reads. */
  owner: string;
  /** The key whose permissions and limits hold; null if no key is configured. */
  key: ApiKey | null;
  /** The party that waits for the slots. */
  party: Party;
}

/**
 * A reply, in the form that every front end sends. The body is a text, or a stream of pieces of text. A reply to HEAD
 * has the body of GET, which a front end does not send.
 */
export interface ApiReply {
  status: number;
  headers: Record<string, string>;
  body: string | AsyncIterable<string>;
}

/** The API as one function. It never rejects. The reply to a request with a `refusal` is that error. */
export type Api = (request: ApiRequest) => Promise<ApiReply>;

/** Returns a reply whose body is this value as JSON. A `content-type` in `headers` replaces that of JSON. */
export function jsonReply(value: unknown, status = 200, headers: Record<string, string> = {}): ApiReply {
  return jsonTextReply(JSON.stringify(value), status, headers);
}

/** Returns a reply whose body is this JSON text. */
export function jsonTextReply(body: string, status = 200, headers: Record<string, string> = {}): ApiReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/**
 * Returns the reply to a request that failed, in a dialect. `requestId` is null if the request failed before it had an
 * id.
 */
export function errorReply(error: unknown, dialect = openAiErrors, requestId: string | null = null): ApiReply {
  const data = toErrorData(error);
  return jsonReply(dialect.body(data, requestId), dialect.status?.(data) ?? data.status, data.headers);
}
