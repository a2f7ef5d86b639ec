import type { ApiReply } from './http.ts';
import type { Reach } from './reach.ts';

/** The headers that a web page may read: the request's id, under both of its names. */
const EXPOSED = 'x-request-id, request-id';

/** Returns the CORS headers of a reply: a web page of this origin may read the reply unless its reach is `none`. */
export function corsHeaders({ origin }: Record<string, string>, reach: Reach): Record<string, string> {
  if (!origin) return {};
  return {
    vary: 'origin',
    ...(reach !== 'none' && { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }),
  };
}

/**
 * Returns the reply to a CORS preflight. `methods` are the methods that the page may use. A preflight needs no key:
 * browsers send none.
 */
export function preflightReply(
  headers: Record<string, string>,
  methods: string[],
  cors: Record<string, string>,
): ApiReply {
  if (!cors['access-control-allow-origin']) return { status: 204, headers: cors, body: '' };
  return {
    status: 204,
    headers: {
      ...cors,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': headers['access-control-request-headers'] ?? 'authorization, content-type',
      'access-control-max-age': '86400',
      // Chrome needs this from servers on private addresses: https://wicg.github.io/private-network-access/
      ...(headers['access-control-request-private-network'] === 'true' && {
        'access-control-allow-private-network': 'true',
      }),
    },
    body: '',
  };
}
