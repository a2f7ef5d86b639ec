import { unsupportedParameter } from '../../errors.ts';
import { callOf, type RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamReply } from '../stream/event-stream.ts';
import { applyOverflowPolicy } from '../stream/overflow.ts';
import { completionHead } from '../stream/usage.ts';
import { readMedia } from './media.ts';
import { toGenerationRequest } from './request.ts';
import { type ChatRequest, chatRequestSchema } from './schema.ts';
import { createChatEncoder } from './stream.ts';
import { collectChoices, toCompletion } from './whole.ts';

/** POST /v1/chat/completions: a whole reply or a stream. */
export async function createChatCompletion(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, chatRequestSchema);
  refuseOtherModalities(body);

  const cancel = cancelWith(request.signal);
  const media = await readMedia(context.media, body, model, cancel.signal);
  const generation = toGenerationRequest(body, model, context.contentFilter, media);
  const events = applyOverflowPolicy(
    context.runner.generate(model.id, generation, callOf(context, cancel)),
    body.context_overflow ?? 'length',
    { choices: body.n ?? 1 },
  );
  const head = completionHead('chatcmpl', model.id, context.systemFingerprint, Date.now());
  if (!(body.stream ?? model.parameters.stream ?? false)) {
    const { choices, done } = await collectChoices(events);
    return jsonReply(toCompletion(head, choices, done));
  }
  const encode = createChatEncoder(head, {
    includeUsage: body.stream_options?.include_usage ?? false,
    returnProgress: body.return_progress ?? false,
  });
  return streamReply(context, events, cancel, { encode, isLast: ({ kind }) => kind === 'done' });
}

function refuseOtherModalities({ modalities }: ChatRequest): void {
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) {
    throw unsupportedParameter('modalities', 'modalities other than text are not supported.');
  }
}
