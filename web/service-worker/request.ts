import type { ApiRequest } from '../../src/api/http/http.ts';
import { bodyTooLarge } from '../../src/api/http/refusals.ts';
import { chunksOf } from '../body-chunks.ts';

/** The server's limit by default. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

/** A page's request as the core takes it. `path` is the one within the API, whichever folder the site lies in. */
export function toApiRequest(request: Request, path: string, requestId: string, signal: AbortSignal): ApiRequest {
  const { host, search } = new URL(request.url);
  return {
    method: request.method,
    path,
    query: search.slice(1),
    // A service worker sees no Host, by which the core knows the pages of this origin.
    headers: { ...headersOf(request), host, 'x-request-id': requestId },
    text: (look) => readBody(request, look),
    signal,
  };
}

export function headersOf({ headers }: Request): Record<string, string> {
  return Object.fromEntries(headers);
}

/** The body as text. Throws a 413 `ApiError` for one over the limit, and what `look` throws. */
async function readBody(request: Request, look: (bytes: Uint8Array) => void = () => {}): Promise<string> {
  const body = await request.blob();
  if (body.size > BODY_LIMIT_BYTES) throw bodyTooLarge(BODY_LIMIT_BYTES);
  for await (const bytes of chunksOf(body.stream())) look(bytes);
  return body.text();
}
