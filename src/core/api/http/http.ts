import { ApiError, errorBody, invalidRequest, toErrorData } from '../../errors.ts';

/** An HTTP request, in the form that every front end gives. Header names are lower-case. */
export interface ApiRequest {
  method: string;
  /** Not decoded, without the query. */
  path: string;
  /** Not decoded, without the question mark; '' if there is none. */
  query: string;
  headers: Record<string, string>;
  /**
   * Reads the whole body. Call it at most once and before the first await, since a body that nobody has asked for by
   * then is dropped. Throws a 413 `ApiError` if the body is over the front end's limit.
   */
  text(): Promise<string>;
  /** Aborts when the client leaves. This also ends a generation that waits in a queue or for its next event. */
  signal: AbortSignal;
}

/** A reply, in the form that every front end sends. The body is a text, or a stream of pieces of text. */
export interface ApiReply {
  status: number;
  headers: Record<string, string>;
  body: string | AsyncIterable<string>;
}

/** The API as one function. It never rejects. */
export type Api = (request: ApiRequest) => Promise<ApiReply>;

export function jsonReply(value: unknown, status = 200, headers: Record<string, string> = {}): ApiReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function errorReply(error: unknown): ApiReply {
  const { status, headers, ...body } = toErrorData(error);
  return jsonReply(errorBody(body), status, headers);
}

/**
 * Parses the request's JSON. Throws a 415 `ApiError` for another content type, and a 400 for an empty or malformed
 * body.
 */
export async function parseJsonBody(request: ApiRequest): Promise<unknown> {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new ApiError({
      status: 415,
      type: 'invalid_request_error',
      code: 'unsupported_media_type',
      param: null,
      message: 'The request body must be JSON, sent with Content-Type: application/json.',
    });
  }
  const body = await request.text();
  if (body.trim() === '')
    throw invalidRequest('The request body is empty; a JSON object is required.', null, 'empty_body');
  try {
    // JSON can escape half of a surrogate pair. That is not a character, and engines must only get valid text.
    return JSON.parse(body, /\\ud[89a-f]/i.test(body) ? toWellFormed : undefined);
  } catch {
    throw invalidRequest('The request body is not valid JSON.', null, 'invalid_json');
  }
}

function toWellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? new TextDecoder().decode(new TextEncoder().encode(value)) : value;
}
