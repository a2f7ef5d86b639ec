import type { ApiReply } from './http.ts';

const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Makes the headers by which a browser decides whether a web page may read the reply. Pages of the same machine always
 * may; others may if their origin is configured, or if `*` is.
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

/** Answers a browser's preflight request. It needs no API key, because browsers send none with it. */
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
