import { ApiError, errorBody, invalidRequest, toErrorData } from '../../errors.ts';

/** An HTTP request as any front end hands it over. Header names are lower-case. */
export interface ApiRequest {
  method: string;
  /** Undecoded, without the query. */
  path: string;
  /** Undecoded, without the question mark; '' when there is none. */
  query: string;
  headers: Record<string, string>;
  /**
   * The whole body. Call it at most once, and before the first await: what nobody asks for by then is dropped. Throws a 413
   * `ApiError` for a body over the front end's limit.
   */
  text(): Promise<string>;
  /** Aborted when the client goes away: it ends a generation that waits in a queue or for its next event. */
  signal: AbortSignal;
}

/** A reply that any front end can send: a whole text, or a text in pieces as they come. */
export interface ApiReply {
  status: number;
  headers: Record<string, string>;
  body: string | AsyncIterable<string>;
}

/** The whole API as one function. It never throws. */
export type Api = (request: ApiRequest) => Promise<ApiReply>;

export function jsonReply(value: unknown, status = 200, headers: Record<string, string> = {}): ApiReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function errorReply(error: unknown): ApiReply {
  const { status, headers, ...body } = toErrorData(error);
  return jsonReply(errorBody(body), status, headers);
}

/** The request's JSON. Throws a 415 for another content type, a 400 for an empty or malformed body. */
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
    // An escaped half of a surrogate pair is no character, and nothing that is not text may reach an engine.
    return JSON.parse(body, /\\ud[89a-f]/i.test(body) ? toWellFormed : undefined);
  } catch {
    throw invalidRequest('The request body is not valid JSON.', null, 'invalid_json');
  }
}

function toWellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? new TextDecoder().decode(new TextEncoder().encode(value)) : value;
}
