import type { ApiReply } from '../api/http/http.ts';
import type { Exchange } from './exchange.ts';

/** A text of more characters is sent in slices, as fast as the client reads. */
export const LARGE_REPLY = 1024 * 1024;
const SLICE = 64 * 1024;

/**
 * Sends a reply of the API. A stream and a large text are sent only as fast as the client reads. Resolves when the whole reply is sent or
 * the client has left. Of a stream, the reply to HEAD has only the head.
 */
export async function sendReply(exchange: Exchange, { body, ...head }: ApiReply): Promise<void> {
  if (typeof body === 'string' && (body.length <= LARGE_REPLY || exchange.head.method === 'HEAD'))
    return exchange.reply(head, body);
  if (typeof body !== 'string' && exchange.head.method === 'HEAD') {
    exchange.reply(head, null);
    await body[Symbol.asyncIterator]().return?.();
    return;
  }
  exchange.begin(head);
  for await (const piece of typeof body === 'string' ? slicesOf(body) : body) {
    if (exchange.isGone()) return;
    if (!exchange.write(piece)) await exchange.drained();
  }
  exchange.end();
}

/** Yields a text in slices that begin and end between characters. */
function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + SLICE - 1);
    const end = start + SLICE + (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}
