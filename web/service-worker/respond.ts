import type { ApiReply } from '../../src/core/api/http/http.ts';

/** What a page that goes away tells the service worker is nothing but that the body of its response is cancelled. */
interface Work {
  reply: Promise<ApiReply>;
  /** Resolves once a generation has begun for good: from then on its client may give it up. */
  begun: Promise<void>;
  /** Ends the generation. */
  cancel: () => void;
}

/**
 * The response to a request. A reply that is not streamed would be heard of only when it is whole, and so would the page's
 * leaving: it goes out as a 200 once its generation has begun, and its body follows. What fails then breaks the body off.
 */
export function respond({ reply, begun, cancel }: Work): Promise<Response> {
  // The reply of a stream is there within the same task as its first event, and it is the better answer.
  const early = begun.then(nextTask).then(() => earlyResponse(reply, cancel));
  return Promise.race([reply.then(toResponse), early]);
}

/** The reply as it is. The body of a stream is asked for as the page reads it, and a page that stops reading ends it. */
export function toResponse({ status, headers, body }: ApiReply): Response {
  const hasBody = status !== 204;
  return new Response(!hasBody ? null : typeof body === 'string' ? body : toStream(body), { status, headers });
}

function earlyResponse(reply: Promise<ApiReply>, cancel: () => void): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = ({ status, body }: ApiReply) => {
        if (status !== 200 || typeof body !== 'string') throw new Error('the generation failed after it had begun');
        controller.enqueue(new TextEncoder().encode(body));
        controller.close();
      };
      reply.then(send).catch((error: unknown) => controller.error(error));
    },
    cancel,
  });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

function toStream(body: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
