/** These headers make a page cross-origin isolated, so that it may have threads: https://web.dev/articles/coop-coep */
const ISOLATION: Record<string, string> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/** The same response with the headers that isolate a page. Pages and workers need them, and all that these load. */
export function isolated(response: Response): Response {
  // It is a redirect or an error that only the browser may look into.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
