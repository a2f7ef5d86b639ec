/** These headers make a page cross-origin isolated, so that it may have threads: https://web.dev/articles/coop-coep */
const ISOLATION: Record<string, string> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/** Returns the response with the headers that isolate a page. Pages, workers and all files that they load need them. */
export function isolated(response: Response): Response {
  // A response with status 0 (a redirect or an opaque response) can not be copied.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
