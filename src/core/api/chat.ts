import { modelNotFound } from '../errors.ts';
import type { FinishReason, GenerationDone, GenerationEvent } from '../events.ts';
import { chatRequestSchema } from './chat-schema.ts';
import { chatStream } from './chat-stream.ts';
import { completionHead, toCompletion } from './completion.ts';
import type { ApiContext } from './context.ts';
import { validate } from './fields.ts';
import { toGenerationRequest } from './generation-request.ts';
import { type ApiReply, type ApiRequest, jsonReply, parseJsonBody } from './http.ts';
import { applyOverflowPolicy } from './overflow.ts';
import { withPings } from './pings.ts';
import { SSE_HEADERS } from './sse.ts';
import { refuseUnsupported, unknownFields } from './support.ts';

/** POST /v1/chat/completions, whole or streamed. */
export async function createChatCompletion(context: ApiContext, request: ApiRequest): Promise<ApiReply> {
  const body = validate(chatRequestSchema, parseJsonBody(request));
  const model = context.catalogue.find(body.model);
  if (!model) throw modelNotFound(body.model);
  refuseUnsupported(body);
  context.noteUnknownFields(unknownFields(body));

  const cancel = new AbortController();
  request.signal.addEventListener('abort', () => cancel.abort(), { once: true });
  if (request.signal.aborted) cancel.abort();
  const events = applyOverflowPolicy(
    context.runner.generate(model.id, toGenerationRequest(body, model), cancel.signal),
    body.context_overflow ?? 'length',
  );
  const head = completionHead(model.id, context.systemFingerprint, Date.now());
  if (!(body.stream ?? model.parameters.stream ?? false)) {
    const { content, reason, done } = await collect(events);
    return jsonReply(toCompletion(head, content, reason, done));
  }

  const pinged = withPings(events, context.pingIntervalMs);
  // What fails before anything is known of the generation throws here, and so is still a status code.
  const first = await pinged.next();
  const stream = chatStream(first, pinged, head, {
    includeUsage: body.stream_options?.include_usage ?? false,
    returnProgress: body.return_progress ?? false,
    onFailure: (error) => {
      if (!cancel.signal.aborted) context.log.error('stream failed', { error: String(error) });
    },
  });
  return { status: 200, headers: SSE_HEADERS, body: cancelOnReturn(stream, cancel) };
}

/** Gathers a generation into one reply. */
async function collect(events: AsyncIterable<GenerationEvent>) {
  let content = '';
  let reason: FinishReason = 'stop';
  let done: GenerationDone | undefined;
  for await (const event of events) {
    if (event.kind === 'text') content += event.text;
    else if (event.kind === 'finish') reason = event.reason;
    else if (event.kind === 'done') done = event;
  }
  if (!done) throw new Error('the generation ended without its last event');
  return { content, reason, done };
}

/** The same stream; whoever stops reading cancels the generation at once, also while it waits for its next event. */
function cancelOnReturn(stream: AsyncGenerator<string>, cancel: AbortController): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => stream.next(),
      return: () => {
        cancel.abort();
        return stream.return(undefined);
      },
    }),
  };
}
