import { unsupportedParameter } from '../../contract/errors.ts';
import { toLogFields } from '../../contract/log.ts';
import type { RequestContext } from '../context.ts';
import { appendItems } from '../conversations/items.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { countPromptTokens } from '../generation/start.ts';
import { ownerOf } from '../http/auth.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { queryField } from '../http/query.ts';
import type { ReplyEvent } from '../mcp/events.ts';
import { type McpOffer, type OfferedListing, openOffer } from '../mcp/offer.ts';
import { startMcpReply } from '../mcp/start.ts';
import { streamReply } from '../stream/event-stream.ts';
import { approvedCalls, openApprovals } from './approvals.ts';
import { conversationIdOf, resolveInput, responseNotFound } from './input.ts';
import type { PlacedItem } from './items.ts';
import type { ResponseObject } from './objects.ts';
import {
  functionNames,
  REFUSED_RESPONSE_FIELDS,
  refuseUnsupported,
  responseMcpEntries,
  toHead,
  toResponsesConversation,
} from './request.ts';
import { type ResponseRequest, responseRequestSchema } from './schema.ts';
import { isResponse } from './store.ts';
import { encodeResponseStream, responseEncoding } from './stream.ts';
import { createResponseWriter, type ResponseWriter } from './writer.ts';

/** POST /v1/responses: a whole response or a stream. */
export async function createResponse(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model, owner, items, history } = await readRequest(context, request);
  const { offer, approvals } = history;
  const conversation = toResponsesConversation(body, items, history);
  const writer = createResponseWriter(toHead(body, model, Date.now()));
  const reply = await startMcpReply(context, request, model, conversation, {
    offer,
    listings: unknownListings(offer, items),
    approved: approvedCalls(approvals, offer),
    overflow: 'error',
    mostCalls: body.max_tool_calls ?? null,
  });
  const keep = keeper(context, owner, body, items);
  if (!body.stream) return jsonReply(await whole(reply.events, writer, keep));
  return streamReply(context, encodeResponseStream(reply.events, writer, keep), reply.cancel, responseEncoding(writer));
}

/**
 * POST /v1/responses/input_tokens: the number of tokens of the prompt that the same request to /v1/responses would
 * have.
 */
export async function countInputTokens(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model, items, history } = await readRequest(context, request);
  const conversation = toResponsesConversation(body, items, history);
  const input_tokens = await countPromptTokens(context, request, model, conversation);
  return jsonReply({ object: 'response.input_tokens', input_tokens });
}

/**
 * GET /v1/responses/{response_id}: a stored response. Throws a 404 `response_not_found` if no response of this key has
 * the id, and a 400 `unsupported_parameter` for `stream=true`.
 */
export async function getResponse(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  if (queryField(request.query, 'stream') === 'true')
    throw unsupportedParameter('stream', 'A stored response can not be streamed again.');
  const stored = await context.responses.find(await ownerOf(context.apiKeys, request), id);
  if (!isResponse(stored)) throw responseNotFound(id);
  return jsonReply(stored.response);
}

/**
 * DELETE /v1/responses/{response_id}: forgets a stored response. Throws a 404 `response_not_found` as `getResponse`
 * does.
 */
export async function deleteResponse(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const owner = await ownerOf(context.apiKeys, request);
  if (!isResponse(await context.responses.find(owner, id))) throw responseNotFound(id);
  await context.responses.remove(owner, id);
  return jsonReply({ id, object: 'response', deleted: true });
}

async function readRequest(context: RequestContext, request: ApiRequest) {
  const { body, model } = await readModelRequest(context, request, responseRequestSchema, REFUSED_RESPONSE_FIELDS);
  refuseUnsupported(body);
  const owner = await ownerOf(context.apiKeys, request);
  const items = await resolveInput(body, context.responses, owner);
  const approvals = openApprovals(items);
  const offer = await openOffer(context, request, responseMcpEntries(body), functionNames(body));
  return { body, model, owner, items, history: { offer, approvals } };
}

/** Returns the lists of tools that the conversation does not have yet. */
function unknownListings({ listings }: McpOffer, items: PlacedItem[]): OfferedListing[] {
  const known = new Set(items.flatMap(({ item }) => (item.type === 'mcp_list_tools' ? [item.server_label] : [])));
  return listings.filter(({ label }) => !known.has(label));
}

/**
 * Returns a function that stores a response, and appends its new items to its conversation. The reply does not depend on
 * it, so an error of the store is only logged.
 */
function keeper({ responses, log }: RequestContext, owner: string, body: ResponseRequest, items: PlacedItem[]) {
  const conversationId = conversationIdOf(body);
  const input = items.map(({ item }) => item);
  const added = items.filter(({ param }) => param !== 'conversation').map(({ item }) => item);
  return async (response: ResponseObject) => {
    try {
      if (body.store !== false) await responses.put(owner, { input, response });
      if (conversationId !== null) await appendItems(responses, owner, conversationId, [...added, ...response.output]);
    } catch (error) {
      log.warn('a response could not be stored', toLogFields(error));
    }
  };
}

async function whole(
  events: AsyncIterable<ReplyEvent>,
  writer: ResponseWriter,
  keep: (response: ResponseObject) => Promise<void>,
): Promise<ResponseObject> {
  for await (const event of events) writer.write(event);
  const response = writer.response();
  if (response.status === 'in_progress') throw new Error('the generation ended without its last event');
  await keep(response);
  return response;
}
