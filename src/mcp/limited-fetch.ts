/** The most bytes of one response of an MCP server. The SDK has the same limit for a message over stdio. */
export const MOST_RESPONSE_BYTES = 10 * 1024 * 1024;

/**
 * Returns a `fetch` for the SDK. A response to a POST carries the answer to one message. If it breaks off, or is longer
 * than `MOST_RESPONSE_BYTES`, reading its body throws, and `onBroken` is called, because the SDK would wait for the
 * answer for ever. The stream of a GET may be as long as the session.
 */
export function createLimitedFetch(onBroken: () => void): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== 'POST' || !response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(limited(response.body, onBroken), { status, statusText, headers });
  };
}

function limited(body: ReadableStream<Uint8Array>, onBroken: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  /** True once the SDK wants no more of it. */
  let left = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (left) return;
        if (done) return controller.close();
        bytes += value.byteLength;
        if (bytes > MOST_RESPONSE_BYTES) throw new Error('the response of the MCP server is too long');
        controller.enqueue(value);
      } catch (error) {
        if (left) return;
        controller.error(error);
        await reader.cancel().catch(() => {});
        onBroken();
      }
    },
    cancel(reason) {
      left = true;
      return reader.cancel(reason);
    },
  });
}
