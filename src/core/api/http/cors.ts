import type { ApiReply } from './http.ts';

const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * The headers that let a web page of this origin read a reply, or keep it from that.
 * Pages of the same machine always may, others when configured (`*` is any).
 */
export function corsHeaders(headers: Record<string, string>, allowedOrigins: string[]): Record<string, string> {
  const origin = headers.origin;
  if (!origin) return {};
  const allowed = LOCAL_ORIGIN.test(origin) || allowedOrigins.includes('*') || allowedOrigins.includes(origin);
  return {
    vary: 'origin',
    ...(allowed && { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'x-request-id' }),
  };
}

/** The answer to a browser's question before the real request. It asks for no key: browsers send none here. */
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
      // Chrome asks this of a server on a private address: https://wicg.github.io/private-network-access/
      ...(headers['access-control-request-private-network'] === 'true' && {
        'access-control-allow-private-network': 'true',
      }),
    },
    body: '',
  };
}
