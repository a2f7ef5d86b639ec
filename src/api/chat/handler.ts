import { unsupportedParameter } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { collectReplies } from '../generation/collect.ts';
import { startGeneration } from '../generation/start.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { streamReply } from '../stream/event-stream.ts';
import { createCompletionHead } from '../stream/usage.ts';
import { isOlderRequest } from './older-functions.ts';
import { customNames, toChatConversation } from './request.ts';
import { type ChatRequest, chatRequestSchema } from './schema.ts';
import { createChatEncoder } from './stream.ts';
import { toCompletion } from './whole.ts';

/** POST /v1/chat/completions: a whole reply or a stream. */
export async function createChatCompletion(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, chatRequestSchema);
  refuseOtherModalities(body);

  const overflow = body.context_overflow ?? 'length';
  const { events, cancel } = await startGeneration(context, request, model, toChatConversation(body), overflow);
  const head = createCompletionHead('chatcmpl', model.id, context.systemFingerprint, Date.now());
  if (!(body.stream ?? model.parameters.stream ?? false)) {
    const { replies, done } = await collectReplies(events);
    return jsonReply(toCompletion(head, replies, done, customNames(body), isOlderRequest(body)));
  }
  const encode = createChatEncoder(head, {
    includeUsage: body.stream_options?.include_usage ?? false,
    returnProgress: body.return_progress ?? false,
    custom: customNames(body),
    older: isOlderRequest(body),
  });
  return streamReply(context, events, cancel, { encode, isLast: ({ kind }) => kind === 'done' });
}

function refuseOtherModalities({ modalities }: ChatRequest): void {
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) {
    throw unsupportedParameter('modalities', 'modalities other than text are not supported.');
  }
}
