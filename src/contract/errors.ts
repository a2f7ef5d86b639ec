/** The error object of OpenAI's API: the value of `error` in `{"error": ...}`. */
export interface ErrorBody {
  message: string;
  type: string;
  code: string;
  param: string | null;
  /** The number of tokens in a prompt that is too long. `n_ctx` is the length of the context window, in tokens. */
  n_prompt_tokens?: number;
  n_ctx?: number;
}

/** An error as plain data, so that it can cross threads. */
export interface ErrorData extends ErrorBody {
  status: number;
  headers?: Record<string, string>;
}

/**
 * An error whose message clients may read. It has an HTTP status and reveals nothing about the inside of the server.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly data: ErrorData;

  constructor(data: ErrorData) {
    super(data.message);
    this.data = data;
  }
}

/** 400: a field of the request is wrong. */
export function invalidRequest(message: string, param: string | null = null, code = 'invalid_request'): ApiError {
  return new ApiError({ status: 400, type: 'invalid_request_error', code, param, message });
}

/** 400: the request is well formed, but asks for something that this build or model can't do. */
export function unsupportedParameter(param: string, message: string): ApiError {
  return invalidRequest(message, param, 'unsupported_parameter');
}

/** 404: the field `param` names something that is not there. */
export function notFound(message: string, param: string, code: string): ApiError {
  return new ApiError({ status: 404, type: 'invalid_request_error', code, param, message });
}

/** 404: no model has this id. */
export function modelNotFound(id: string): ApiError {
  return notFound(`The model '${id}' does not exist.`, 'model', 'model_not_found');
}

/** 400: the model comes with Paddock, so nobody can remove it. */
export function builtInModel(id: string): ApiError {
  return invalidRequest(`The model '${id}' comes with Paddock and can not be removed.`, 'model', 'built_in_model');
}

/** 401: the request has no API key, or one that is not configured. */
export function invalidApiKey(message: string): ApiError {
  return new ApiError({ status: 401, type: 'authentication_error', code: 'invalid_api_key', param: null, message });
}

/** 404: the API has no such path. */
export function pathNotFound(method: string, path: string): ApiError {
  return new ApiError({
    status: 404,
    type: 'not_found',
    code: 'not_found',
    param: null,
    message: `There is nothing at ${method} ${path}.`,
  });
}

/** 405: the path exists, but does not take this method. */
export function methodNotAllowed(method: string, path: string, allowed: string[]): ApiError {
  const allow = allowed.join(', ');
  return new ApiError({
    status: 405,
    type: 'invalid_request_error',
    code: 'method_not_allowed',
    param: null,
    message: `${path} does not take ${method}; it takes ${allow}.`,
    headers: { allow },
  });
}

/** 501: this installation can't do it for any request. */
export function notSupportedHere(message: string): ApiError {
  return new ApiError({ status: 501, type: 'invalid_request_error', code: 'not_supported_here', param: null, message });
}

/** 503: the queue of waiting requests is full. */
export function overloaded(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError({
    status: 503,
    type: 'overloaded',
    code: 'overloaded',
    param: null,
    message,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** After this time, in seconds, the server has restarted, or a load balancer has taken it out. */
const RETRY_AFTER_SHUTDOWN_SECONDS = 5;

/** 503: the server is shutting down. It takes no new work, and aborts running requests at a deadline. */
export function shuttingDown(): ApiError {
  return new ApiError({
    status: 503,
    type: 'server_error',
    code: 'shutting_down',
    param: null,
    message: 'The server is shutting down.',
    headers: { 'retry-after': String(RETRY_AFTER_SHUTDOWN_SECONDS) },
  });
}

/** 503: the model needs more memory than is available. */
export function insufficientMemory(message: string): ApiError {
  return new ApiError({ status: 503, type: 'server_error', code: 'insufficient_memory', param: null, message });
}

/** 500: the model can not chat, since its chat template can not be read. `reason` says why. */
export function chatTemplateInvalid(reason: string): ApiError {
  return new ApiError({
    status: 500,
    type: 'server_error',
    code: 'chat_template_invalid',
    param: null,
    message: `The model's chat template can not be read: ${reason}. The model still takes prompts without a template, at /v1/completions.`,
  });
}

/** 503: the model's files were replaced while a reply was being written. The next request uses the new files. */
export function modelChanged(): ApiError {
  return new ApiError({
    status: 503,
    type: 'server_error',
    code: 'model_changed',
    param: null,
    message:
      'The files of the model were replaced while it was in use, and its engine died: nothing can go on with this request. Ask again.',
    headers: { 'retry-after': '1' },
  });
}

/** 500: an internal error. The message must not reveal its cause. */
export function serverError(message = 'The server had an error while processing the request.'): ApiError {
  return new ApiError({ status: 500, type: 'server_error', code: 'server_error', param: null, message });
}

/** 500: a forward pass gave no numbers, because the model's weights or the figures in its header are damaged. */
export function noNumbers(): ApiError {
  return new ApiError({
    ...serverError('The model computes no numbers, so it can write nothing: its file is damaged.').data,
    code: 'model_damaged',
  });
}

/** Returns what clients see of any thrown value: the data of an `ApiError`, or a plain 500 for everything else. */
export function toErrorData(error: unknown): ErrorData {
  return error instanceof ApiError ? error.data : serverError().data;
}

/**
 * 400: the prompt alone has more tokens than the context window. Clients look for these words, and then shorten the
 * conversation. `param` is the field that holds the prompt.
 */
export function contextLengthExceeded(promptTokens: number, contextLength: number, param: string): ApiError {
  return new ApiError({
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    param,
    message: `The prompt exceeds the context window: this model's maximum context length is ${contextLength} tokens, the prompt has ${promptTokens}.`,
    n_prompt_tokens: promptTokens,
    n_ctx: contextLength,
  });
}
