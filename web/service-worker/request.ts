import type { ApiRequest } from '../../src/api/http/http.ts';
import { bodyTooLarge } from '../../src/api/http/refusals.ts';
import { chunksOf } from '../body-chunks.ts';

/** As large as the default limit of the server. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

/** Returns the request for the API. `path` is the path within the API, without the folder of the site. */
export function toApiRequest(request: Request, path: string, requestId: string, signal: AbortSignal): ApiRequest {
  const { host, search } = new URL(request.url);
  return {
    method: request.method,
    path,
    query: search.slice(1),
    // A service worker sees no Host header, by which the API recognises pages of this origin.
    headers: { ...headersOf(request), host, 'x-request-id': requestId },
    text: (look) => readBody(request, look),
    bytes: async () => new Uint8Array(await (await readBlob(request)).arrayBuffer()),
    signal,
  };
}

export function headersOf({ headers }: Request): Record<string, string> {
  return Object.fromEntries(headers);
}

/** Returns the body as text. Throws a 413 `ApiError` if it is over the limit, and what `look` throws. */
async function readBody(request: Request, look: (bytes: Uint8Array) => void = () => {}): Promise<string> {
  const body = await readBlob(request);
  for await (const bytes of chunksOf(body.stream())) look(bytes);
  return body.text();
}

async function readBlob(request: Request): Promise<Blob> {
  const body = await request.blob();
  if (body.size > BODY_LIMIT_BYTES) throw bodyTooLarge(BODY_LIMIT_BYTES);
  return body;
}
