import type { ApiRequest } from '../core/api/http/http.ts';
import type { Body } from './bodies.ts';
import type { Exchange } from './exchange.ts';

/** A request as the core takes it. */
export function toApiRequest(exchange: Exchange, body: Body, signal: AbortSignal): ApiRequest {
  const { method, path, query, headers } = exchange.head;
  return { method, path, query, headers, text: (look) => body.read(exchange.onBody, look, signal), signal };
}
