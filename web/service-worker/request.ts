import type { ApiRequest } from '../../src/core/api/http/http.ts';
import { bodyTooLarge } from '../../src/core/errors.ts';

/** The server's limit by default. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

/** A page's request as the core takes it. `path` is the one within the API, whichever folder the site lies in. */
export function toApiRequest(request: Request, path: string, requestId: string, signal: AbortSignal): ApiRequest {
  return {
    method: request.method,
    path,
    query: new URL(request.url).search.slice(1),
    headers: { ...headersOf(request), 'x-request-id': requestId },
    text: () => readBody(request),
    signal,
  };
}

export function headersOf({ headers }: Request): Record<string, string> {
  return Object.fromEntries(headers);
}

/** The body as text. Throws a 413 `ApiError` for one over the limit. */
async function readBody(request: Request): Promise<string> {
  const body = await request.blob();
  if (body.size > BODY_LIMIT_BYTES) throw bodyTooLarge(BODY_LIMIT_BYTES);
  return body.text();
}
