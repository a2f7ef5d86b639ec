import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { ApiRequest } from '../core/api/http/http.ts';

/** Reads one request whole. The url and headers are read before anything is awaited: they are gone afterwards. */
export function readRequest(
  res: HttpResponse,
  req: HttpRequest,
  bodyLimitBytes: number,
  signal: AbortSignal,
): Promise<ApiRequest | 'too large' | 'aborted'> {
  const method = req.getMethod().toUpperCase();
  const path = req.getUrl();
  const headers: Record<string, string> = {};
  req.forEach((name, value) => {
    headers[name] = value;
  });

  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    const chunks: Buffer[] = [];
    let size = 0;
    res.onData((chunk, isLast) => {
      size += chunk.byteLength;
      if (size > bodyLimitBytes) {
        chunks.length = 0;
        return resolve('too large');
      }
      // uWebSockets.js takes the chunk's memory back when this callback returns.
      chunks.push(Buffer.from(chunk.slice(0)));
      if (isLast) resolve({ method, path, headers, body: Buffer.concat(chunks).toString('utf8'), signal });
    });
  });
}
