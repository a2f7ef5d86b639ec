import type { ApiReply } from '../../src/api/http/http.ts';
import { requestIdHeaders } from '../../src/api/http/request-id.ts';

/** A reply under way. */
interface Work {
  reply: Promise<ApiReply>;
  /** Resolves once a generation has begun for good: from then on its client may give it up. */
  begun: Promise<void>;
  /** Ends the generation. */
  cancel: () => void;
  /** Names the request, in the headers of the response. */
  requestId: string;
}

/**
 * The response to a request. The service worker is told that a page has left by one sign alone: the body of the
 * response is cancelled. A reply that is not streamed has no response before it is whole, so its page's leaving would
 * go unnoticed. So its response goes out as a 200 once the generation has begun, and the body follows. A failure after
 * that breaks the body off.
 */
export function respond(work: Work): Promise<Response> {
  const { reply, begun } = work;
  // The reply of a stream is there within the same task as its first event, and it is the better answer.
  const early = begun.then(nextTask).then(() => earlyResponse(work));
  return Promise.race([reply.then(toResponse), early]);
}

/** The reply as it is. A stream is read as the page reads its body, and ends when the page stops reading. */
export function toResponse({ status, headers, body }: ApiReply): Response {
  const hasBody = status !== 204;
  return new Response(!hasBody ? null : typeof body === 'string' ? body : toStream(body), { status, headers });
}

function earlyResponse({ reply, cancel, requestId }: Work): Response {
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
  return new Response(body, { headers: { 'content-type': 'application/json', ...requestIdHeaders(requestId) } });
}

/** The pieces of a body as the page reads them. Those that come within one task make one chunk, because each chunk has its price. */
function toStream(body: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let coming = null as ReturnType<typeof iterator.next> | null;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      coming ??= iterator.next();
      let next: IteratorResult<string> | null = await coming;
      const taskOver = nextTask().then(() => null);
      let text = '';
      while (next && !next.done) {
        text += next.value;
        coming = iterator.next();
        next = await Promise.race([coming, taskOver]);
      }
      if (text !== '') controller.enqueue(encoder.encode(text));
      if (next?.done) controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
