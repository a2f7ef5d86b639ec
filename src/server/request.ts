import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { ApiRequest } from '../core/api/http/http.ts';
import { bodyTooLarge, serverError } from '../core/errors.ts';

/**
 * Turns a request into the core's form. The URL and headers are read here, because uWebSockets.js only lets them be
 * read until its handler returns.
 */
export function toApiRequest(
  res: HttpResponse,
  req: HttpRequest,
  bodyLimitBytes: number,
  signal: AbortSignal,
): ApiRequest {
  const headers: Record<string, string> = {};
  req.forEach((name, value) => {
    headers[name] = value;
  });
  return {
    method: req.getMethod().toUpperCase(),
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    headers,
    text: () => readBody(res, bodyLimitBytes, signal),
    signal,
  };
}

/**
 * Reads the body as text. Throws a 413 `ApiError` if it is over the limit, and a 500 if the client leaves before its
 * end.
 */
function readBody(res: HttpResponse, limitBytes: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(serverError('The client went away.')), { once: true });
    const chunks: Buffer[] = [];
    let size = 0;
    res.onData((chunk, isLast) => {
      size += chunk.byteLength;
      if (size > limitBytes) {
        chunks.length = 0;
        return reject(bodyTooLarge(limitBytes));
      }
      // uWebSockets.js reuses the chunk's memory after this callback returns.
      chunks.push(Buffer.from(chunk.slice(0)));
      if (isLast) resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}
