import { ApiError, invalidRequest } from '../../core/errors.ts';

/** 400: the source is not one, or names what is not there to choose. */
export function invalidSource(message: string): ApiError {
  return invalidRequest(message, 'model', 'invalid_source');
}

/** 404: the host has no such repository or file. */
export function sourceNotFound(message: string): ApiError {
  return new ApiError({
    status: 404,
    type: 'invalid_request_error',
    code: 'source_not_found',
    param: 'model',
    message,
  });
}

/** 403: the host does not let this Paddock have it. */
export function sourceForbidden(message: string): ApiError {
  return new ApiError({ status: 403, type: 'permission_error', code: 'source_forbidden', param: 'model', message });
}

/** 409: the model's place is taken by files that no pull has put there. */
export function placeTaken(message: string): ApiError {
  return new ApiError({ status: 409, type: 'invalid_request_error', code: 'place_taken', param: 'model', message });
}

/** 502: the host can't be reached, or what it sends is wrong. */
export function downloadFailed(message: string): ApiError {
  return new ApiError({ status: 502, type: 'server_error', code: 'download_failed', param: null, message });
}

/** 507: the disk, or the browser's storage, has no room. */
export function diskFull(message: string): ApiError {
  return new ApiError({ status: 507, type: 'server_error', code: 'disk_full', param: null, message });
}

/** "45 MB", "7.6 GB". */
export function sizeInWords(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
