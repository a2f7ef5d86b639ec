import { unsupportedParameter } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { collectReplies } from '../generation/collect.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { NO_OFFER, openOffer } from '../mcp/offer.ts';
import { startMcpReply } from '../mcp/start.ts';
import { streamReply } from '../stream/event-stream.ts';
import { createCompletionHead } from '../stream/usage.ts';
import { type ExecutedTool, withoutExecuted, withParagraphs } from './executed-tools.ts';
import { chatMcpEntries, refuseApprovals } from './mcp.ts';
import { isOlderRequest } from './older-functions.ts';
import { customNames, ownToolNames, toChatConversation } from './request.ts';
import { type ChatRequest, chatRequestSchema } from './schema.ts';
import { createChatEncoder } from './stream.ts';
import { toCompletion, withExecuted } from './whole.ts';

/**
 * POST /v1/chat/completions: a whole reply or a stream. Throws a 400 `ApiError` for an invalid or refused field,
 * `modalities` other than text among them. Errors after the first event of a stream are a part of the stream.
 */
export async function createChatCompletion(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, chatRequestSchema);
  refuseOtherModalities(body);

  const offer = await openOffer(context, request, chatMcpEntries(body), ownToolNames(body));
  refuseApprovals(offer);
  const reply = await startMcpReply(context, request, model, toChatConversation(body, offer), {
    offer,
    listings: offer.listings,
    approved: [],
    overflow: body.context_overflow ?? 'length',
    mostCalls: null,
  });
  const events = offer === NO_OFFER ? reply.events : withParagraphs(reply.events);
  const head = createCompletionHead('chatcmpl', model.id, context.systemFingerprint, Date.now());
  if (!(body.stream ?? model.parameters.stream ?? false)) {
    const executed: ExecutedTool[] = [];
    const { replies, done } = await collectReplies(withoutExecuted(events, executed));
    const completion = toCompletion(head, replies, done, customNames(body), isOlderRequest(body));
    return jsonReply(withExecuted(completion, executed));
  }
  const encode = createChatEncoder(head, {
    includeUsage: body.stream_options?.include_usage ?? false,
    returnProgress: body.return_progress ?? false,
    custom: customNames(body),
    older: isOlderRequest(body),
  });
  return streamReply(context, events, reply.cancel, { encode, isLast: ({ kind }) => kind === 'done' });
}

function refuseOtherModalities({ modalities }: ChatRequest): void {
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) {
    throw unsupportedParameter('modalities', 'modalities other than text are not supported.');
  }
}
