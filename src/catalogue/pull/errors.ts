import { ApiError, invalidRequest } from '../../contract/errors.ts';

/** 400: the text is no source, or it names something that the source does not have. */
export function invalidSource(message: string): ApiError {
  return invalidRequest(message, 'model', 'invalid_source');
}

/** 404: the host does not have this repository or file. */
export function sourceNotFound(message: string): ApiError {
  return new ApiError({
    status: 404,
    type: 'invalid_request_error',
    code: 'source_not_found',
    param: 'model',
    message,
  });
}

/** 403: the host refuses access. */
export function sourceForbidden(message: string): ApiError {
  return new ApiError({ status: 403, type: 'permission_error', code: 'source_forbidden', param: 'model', message });
}

/** 403: the source, or where it redirects to, is not on the public internet. It says the same whatever is there. */
export function sourceNotPublic(host: string): ApiError {
  return sourceForbidden(
    `${host} is, or redirects to, an address that is not public, which may not be asked. --allow-private-sources allows it.`,
  );
}

/** 409: the model's folder already holds files that did not come from a pull. */
export function placeTaken(message: string): ApiError {
  return new ApiError({ status: 409, type: 'invalid_request_error', code: 'place_taken', param: 'model', message });
}

/** 502: the host can't be reached, or sends something wrong. */
export function downloadFailed(message: string): ApiError {
  return new ApiError({ status: 502, type: 'server_error', code: 'download_failed', param: null, message });
}

/** 507: the disk or the browser's storage is full. */
export function diskFull(message: string): ApiError {
  return new ApiError({ status: 507, type: 'server_error', code: 'disk_full', param: null, message });
}
