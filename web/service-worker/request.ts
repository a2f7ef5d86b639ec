import type { ApiRequest } from '../../src/core/api/http/http.ts';
import { bodyTooLarge } from '../../src/core/errors.ts';

/** As the server's, unless it is told another. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

/** A page's request as the core takes it. Throws a 413 `ApiError`. */
export async function readRequest(request: Request, path: string, signal: AbortSignal): Promise<ApiRequest> {
  const body = await request.blob();
  if (body.size > BODY_LIMIT_BYTES) throw bodyTooLarge(BODY_LIMIT_BYTES);
  return { method: request.method, path, headers: readHeaders(request), body: await body.text(), signal };
}

export function readHeaders({ headers }: Request): Record<string, string> {
  return Object.fromEntries(headers);
}
