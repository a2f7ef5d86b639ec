import type { ApiReply } from '../api/http/http.ts';
import type { Exchange } from './exchange.ts';

/**
 * Sends a reply of the API. A stream is read only as fast as the client reads. Resolves when the whole reply is sent or the client has
 * left.
 */
export async function sendReply(exchange: Exchange, { body, ...head }: ApiReply): Promise<void> {
  if (typeof body === 'string') return exchange.reply(head, body);
  exchange.begin(head);
  for await (const piece of body) {
    if (exchange.isGone()) return;
    if (!exchange.write(piece)) await exchange.drained();
  }
  exchange.end();
}
