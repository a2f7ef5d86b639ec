import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import type { ApiReply } from '../core/api/http/http.ts';

/**
 * Sends a reply. A stream is read only as fast as the client reads. Resolves when all is sent or when the client has
 * left.
 */
export async function sendReply(res: HttpResponse, reply: ApiReply, signal: AbortSignal): Promise<void> {
  const { body } = reply;
  if (typeof body === 'string') {
    if (!signal.aborted) {
      res.cork(() => {
        writeHead(res, reply);
        res.end(body);
      });
    }
    return;
  }
  // uWebSockets.js sends the head together with the first piece of the body.
  if (!signal.aborted) res.cork(() => writeHead(res, reply));
  await sendStream(res, body, signal);
}

async function sendStream(res: HttpResponse, body: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  let wake: (() => void) | undefined;
  signal.addEventListener('abort', () => wake?.(), { once: true });
  if (!signal.aborted) {
    res.onWritable(() => {
      wake?.();
      return true;
    });
  }
  for await (const text of body) {
    if (signal.aborted) return;
    let drained = true;
    res.cork(() => {
      drained = res.write(text);
    });
    if (!drained) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  if (!signal.aborted) res.cork(() => res.end());
}

function writeHead(res: HttpResponse, { status, headers }: ApiReply): void {
  res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
  for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value);
}
