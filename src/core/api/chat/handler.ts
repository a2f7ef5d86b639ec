import { unsupportedParameter } from '../../errors.ts';
import type { ApiContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelOnReturn, cancelWith } from '../stream/cancel.ts';
import { eventStream } from '../stream/event-stream.ts';
import { applyOverflowPolicy } from '../stream/overflow.ts';
import { withPings } from '../stream/pings.ts';
import { SSE_HEADERS } from '../stream/sse.ts';
import { readMedia } from './media.ts';
import { completionHead, toCompletion } from './objects.ts';
import { toGenerationRequest } from './request.ts';
import { type ChatRequest, chatRequestSchema } from './schema.ts';
import { createChatEncoder } from './stream.ts';
import { collectChoices } from './whole.ts';

/** POST /v1/chat/completions, whole or streamed. */
export async function createChatCompletion(context: ApiContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = readModelRequest(context, request, chatRequestSchema);
  refuseOtherModalities(body);

  const cancel = cancelWith(request.signal);
  const media = await readMedia(context.media, body, model, cancel.signal);
  const generation = toGenerationRequest(body, model, context.contentFilter, media);
  const events = applyOverflowPolicy(
    context.runner.generate(model.id, generation, cancel.signal),
    body.context_overflow ?? 'length',
    { choices: body.n ?? 1 },
  );
  const head = completionHead(model.id, context.systemFingerprint, Date.now());
  if (!(body.stream ?? model.parameters.stream ?? false)) {
    const { choices, done } = await collectChoices(events);
    return jsonReply(toCompletion(head, choices, done));
  }

  const pinged = withPings(events, context.pingIntervalMs);
  // What fails before anything is known of the generation throws here, and so is still a status code.
  const first = await pinged.next();
  const encode = createChatEncoder(head, {
    includeUsage: body.stream_options?.include_usage ?? false,
    returnProgress: body.return_progress ?? false,
  });
  const stream = eventStream(first, pinged, encode, (error) => {
    if (!cancel.signal.aborted) context.log.error('stream failed', { error: String(error) });
  });
  return { status: 200, headers: SSE_HEADERS, body: cancelOnReturn(stream, cancel) };
}

function refuseOtherModalities({ modalities }: ChatRequest): void {
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) {
    throw unsupportedParameter('modalities', 'modalities other than text are not supported.');
  }
}
