import { ApiError, invalidRequest } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { readBody } from '../fields/body.ts';
import { newPrefixedId } from '../generation/ids.ts';
import { ownerOf } from '../http/auth.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { queryField } from '../http/query.ts';
import type { StoredConversation } from '../responses/store.ts';
import {
  appendItems,
  type ConversationItem,
  changeConversation,
  itemsOf,
  storedConversation,
  toConversationItem,
} from './items.ts';
import { conversationItemsSchema, conversationRequestSchema, conversationUpdateSchema } from './schema.ts';

/** The number of items on a page if the query does not say, and the most that it may ask for. */
const PAGE = 20;
const MOST_ON_PAGE = 100;

/** POST /v1/conversations */
export async function createConversation(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { items, metadata } = await readBody(context, request, conversationRequestSchema);
  const stored: StoredConversation = {
    input: (items ?? []).map(toConversationItem),
    response: {
      id: newPrefixedId('conv'),
      object: 'conversation',
      created_at: Math.floor(Date.now() / 1000),
      metadata: metadata ?? {},
      output: [],
    },
  };
  await context.responses.put(await ownerOf(context.apiKeys, request.headers), stored);
  return jsonReply(toObject(stored));
}

/** GET /v1/conversations/{conversation_id}. Throws a 404 `ApiError`. */
export async function getConversation(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const owner = await ownerOf(context.apiKeys, request.headers);
  return jsonReply(toObject(await storedConversation(context.responses, owner, id)));
}

/** POST /v1/conversations/{conversation_id}: replaces the metadata. Throws a 404 `ApiError`. */
export async function updateConversation(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const { metadata } = await readBody(context, request, conversationUpdateSchema);
  const owner = await ownerOf(context.apiKeys, request.headers);
  const changed = await changeConversation(context.responses, owner, id, ({ input, response }) => ({
    input,
    response: { ...response, metadata },
  }));
  return jsonReply(toObject(changed));
}

/** DELETE /v1/conversations/{conversation_id}. Throws a 404 `ApiError`. */
export async function deleteConversation(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const owner = await ownerOf(context.apiKeys, request.headers);
  await storedConversation(context.responses, owner, id);
  await context.responses.remove(owner, id);
  return jsonReply({ id, object: 'conversation.deleted', deleted: true });
}

/** POST /v1/conversations/{conversation_id}/items. Throws a 404 `ApiError`. */
export async function createItems(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const { items } = await readBody(context, request, conversationItemsSchema);
  const owner = await ownerOf(context.apiKeys, request.headers);
  return jsonReply(toPage(await appendItems(context.responses, owner, id, items), false));
}

/** GET /v1/conversations/{conversation_id}/items: a page of items, the newest first. Throws a 404 `ApiError`. */
export async function listItems(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const { limit, ascending, after } = readPage(request);
  const owner = await ownerOf(context.apiKeys, request.headers);
  const items = itemsOf(await storedConversation(context.responses, owner, id));
  const ordered = ascending ? items : items.toReversed();
  const start = after === null ? 0 : ordered.findIndex((item) => item.id === after) + 1;
  if (after !== null && start === 0) throw itemNotFound(after, 'after');
  const page = ordered.slice(start, start + limit);
  return jsonReply(toPage(page, start + page.length < ordered.length));
}

/** GET /v1/conversations/{conversation_id}/items/{item_id}. Throws a 404 `ApiError`. */
export async function getItem(context: RequestContext, request: ApiRequest, path: string): Promise<ApiReply> {
  const [id = '', itemId = ''] = path.split('/');
  const owner = await ownerOf(context.apiKeys, request.headers);
  const items = itemsOf(await storedConversation(context.responses, owner, id));
  const found = items.find((item) => item.id === itemId);
  if (!found) throw itemNotFound(itemId, 'item_id');
  return jsonReply(found);
}

/** DELETE /v1/conversations/{conversation_id}/items/{item_id}: answers with the conversation. Throws a 404 `ApiError`. */
export async function deleteItem(context: RequestContext, request: ApiRequest, path: string): Promise<ApiReply> {
  const [id = '', itemId = ''] = path.split('/');
  const owner = await ownerOf(context.apiKeys, request.headers);
  const changed = await changeConversation(context.responses, owner, id, (before) => {
    const input = itemsOf(before).filter((item) => item.id !== itemId);
    if (input.length === before.input.length) throw itemNotFound(itemId, 'item_id');
    return { ...before, input };
  });
  return jsonReply(toObject(changed));
}

function toObject({ response: { output: _, ...conversation } }: StoredConversation) {
  return conversation;
}

function toPage(items: ConversationItem[], hasMore: boolean) {
  return {
    object: 'list',
    data: items,
    first_id: items.at(0)?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

function readPage({ query }: ApiRequest) {
  const limit = queryField(query, 'limit') ?? String(PAGE);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST_ON_PAGE)
    throw invalidRequest(`limit must be an integer between 1 and ${MOST_ON_PAGE}.`, 'limit');
  const order = queryField(query, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalidRequest('order must be one of asc, desc.', 'order');
  return { limit: Number(limit), ascending: order === 'asc', after: queryField(query, 'after') };
}

function itemNotFound(id: string, param: string): ApiError {
  return new ApiError({
    status: 404,
    type: 'invalid_request_error',
    code: 'item_not_found',
    param,
    message: `Item with id '${id}' not found in this conversation.`,
  });
}
