import type { RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { collectReplies } from '../generation/collect.ts';
import { newPrefixedId } from '../generation/ids.ts';
import { countPromptTokens, startGeneration } from '../generation/start.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { streamReply } from '../stream/event-stream.ts';
import { toCountedConversation, toMessagesConversation } from './request.ts';
import { countTokensRequestSchema, messagesRequestSchema } from './schema.ts';
import { messageEncoding } from './stream.ts';
import { toWholeMessage } from './whole.ts';

/** Fields that would change the reply, and that Paddock does not implement. */
const REFUSED = ['container', 'mcp_servers'];

/** POST /v1/messages: a whole reply or a stream. */
export async function createMessage(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, messagesRequestSchema, REFUSED);
  const { events, cancel } = await startGeneration(context, request, model, toMessagesConversation(body), 'error');
  const head = { id: newPrefixedId('msg'), model: model.id };
  if (body.stream) return streamReply(context, events, cancel, messageEncoding(head, context.trace.requestId));
  const { replies, done } = await collectReplies(events);
  const [reply] = replies;
  if (!reply) throw new Error('the generation ended without a choice');
  return jsonReply(toWholeMessage(head, reply, done));
}

/** POST /v1/messages/count_tokens: the tokens of the prompt that such a conversation becomes. */
export async function countMessageTokens(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, countTokensRequestSchema, REFUSED);
  const tokens = await countPromptTokens(context, request, model, toCountedConversation(body));
  return jsonReply({ input_tokens: tokens });
}
