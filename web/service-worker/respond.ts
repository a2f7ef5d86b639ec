import type { ApiReply } from '../../src/api/http/http.ts';
import { requestIdHeaders } from '../../src/api/http/request-id.ts';

/** A reply that is being made. */
interface Work {
  reply: Promise<ApiReply>;
  /** Resolves once a generation has begun. From then on its client may cancel it. */
  begun: Promise<void>;
  /** Ends the generation. */
  cancel: () => void;
  /** The id of the request, for the headers of the response. */
  requestId: string;
  /** Returns the content type of the whole reply; undefined for JSON. */
  typeOf?: () => string | undefined;
}

/**
 * Returns the response to a request. The service worker learns that a page has left only because the browser cancels
 * the body of its response, so it needs a response early. A reply that is not streamed is complete only at its end: its
 * response goes out as a 200 as soon as the generation has begun, and the body follows. If the generation fails after
 * that, the body breaks off.
 */
export function respond(work: Work): Promise<Response> {
  const { reply, begun } = work;
  // A streamed reply is ready in the same task as its first event, and takes precedence.
  const early = begun.then(nextTask).then(() => earlyResponse(work));
  return Promise.race([reply.then(toResponse), early]);
}

/**
 * Returns the reply as a response. A stream is read as fast as the page reads its body, and ends when the page stops
 * reading.
 */
export function toResponse({ status, headers, body }: ApiReply): Response {
  const hasBody = status !== 204;
  return new Response(!hasBody ? null : typeof body === 'string' ? body : toStream(body), { status, headers });
}

function earlyResponse({ reply, cancel, requestId, typeOf }: Work): Response {
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
  return new Response(body, {
    headers: { 'content-type': typeOf?.() ?? 'application/json', ...requestIdHeaders(requestId) },
  });
}

/**
 * Returns the pieces of a body as a stream. Pieces that come within one task become one chunk, because each chunk costs
 * time.
 */
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
