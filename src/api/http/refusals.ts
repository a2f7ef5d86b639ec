import { ApiError, invalidRequest } from '../../contract/errors.ts';

/** 413: the body has more bytes than the limit. */
export function bodyTooLarge(limitBytes: number): ApiError {
  return new ApiError({
    status: 413,
    type: 'invalid_request_error',
    code: 'body_too_large',
    param: null,
    message: `The request body is larger than the limit of ${limitBytes} bytes. On a server, --body-limit sets it.`,
  });
}

/** 415: the body is of another type than `wanted`, which says how to send it. */
export function wrongMediaType(wanted: string): ApiError {
  return new ApiError({
    status: 415,
    type: 'invalid_request_error',
    code: 'unsupported_media_type',
    param: null,
    message: `The request body must be ${wanted}.`,
  });
}

/** 408: the body has not arrived in time. */
export function bodyTooSlow(limitMs: number): ApiError {
  return new ApiError({
    status: 408,
    type: 'invalid_request_error',
    code: 'body_too_slow',
    param: null,
    message: `The request body has not come within ${limitMs / 1000} s.`,
  });
}

/** 400: the body comes in many pieces of a few bytes each. */
export function bodyInSmallPieces(): ApiError {
  const message = 'The request body comes in too many small pieces: its chunks have to be larger.';
  return invalidRequest(message, null, 'body_in_small_pieces');
}

/** 400: the body nests objects and lists deeper than the limit. */
export function bodyTooDeep(limit: number): ApiError {
  const message = `The request body nests objects and lists more than ${limit} deep.`;
  return invalidRequest(message, null, 'body_too_deep');
}

/** 400: the body has more values than the limit. */
export function bodyTooManyValues(limit: number): ApiError {
  const message = `The request body has more than ${limit} values, with each key counted as one and four numbers as one.`;
  return invalidRequest(message, null, 'body_too_many_values');
}

/** 400: a key in the body is longer than the limit. */
export function bodyKeyTooLong(limitBytes: number): ApiError {
  return invalidRequest(`The request body has a key of more than ${limitBytes} bytes.`, null, 'body_key_too_long');
}

/** 400: the headers of the request leave open where its body ends. */
export function ambiguousFraming(): ApiError {
  const message = 'The request needs one Content-Length, or a Transfer-Encoding that is chunked alone, and not both.';
  return invalidRequest(message, null, 'ambiguous_framing');
}

/** 431: the headers have more bytes than the limit. */
export function headersTooLarge(limitBytes: number): ApiError {
  return new ApiError({
    status: 431,
    type: 'invalid_request_error',
    code: 'headers_too_large',
    param: null,
    message: `The request's address and headers are larger than the limit of ${limitBytes} bytes.`,
  });
}

/** 431: there are more headers than the limit. */
export function tooManyHeaders(limit: number): ApiError {
  return new ApiError({
    status: 431,
    type: 'invalid_request_error',
    code: 'headers_too_large',
    param: null,
    message: `The request has more than ${limit} headers.`,
  });
}

/** 403: the `Host` header does not name this server. */
export function hostNotAllowed(host: string): ApiError {
  return forbidden(
    'host_not_allowed',
    `This server does not answer to the host name '${host.slice(0, 200)}', only to those of its own machine, such as localhost. ` +
      'Its --allowed-host adds names.',
  );
}

const MAY_NOT = {
  anything: 'may not call this server',
  models: 'may not load, unload, pull, import or remove models here',
  tools: 'may not use the tools of MCP servers here',
};

/** 403: a web page calls a route that its origin may not call. */
export function originNotAllowed(origin: string, what: keyof typeof MAY_NOT): ApiError {
  const may = MAY_NOT[what];
  return forbidden(
    'origin_not_allowed',
    `Web pages of ${origin.slice(0, 200)} ${may}. The server's --cors-origin lets them.`,
  );
}

/** 403: an HTML form sends the request. A browser asks this origin for no permission before it sends a form. */
export function navigationNotAllowed(): ApiError {
  return forbidden('navigation_not_allowed', 'No form can call this API: a page of this origin has to use fetch().');
}

function forbidden(code: string, message: string): ApiError {
  return new ApiError({ status: 403, type: 'permission_error', code, param: null, message });
}
