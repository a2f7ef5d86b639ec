import { type ApiError, notFound } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { readBody } from '../fields/body.ts';
import { newPrefixedId } from '../generation/ids.ts';
import { ownerOf } from '../http/auth.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { listPage, pageOf, readPage } from '../http/page.ts';
import type { StoredConversation } from '../responses/store.ts';
import { appendItems, changeConversation, itemsOf, storedConversation, toConversationItem } from './items.ts';
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
  await context.responses.put(await ownerOf(context.apiKeys, request), stored);
  return jsonReply(toObject(stored));
}

/** GET /v1/conversations/{conversation_id}. Throws a 404 `ApiError`. */
export async function getConversation(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const owner = await ownerOf(context.apiKeys, request);
  return jsonReply(toObject(await storedConversation(context.responses, owner, id)));
}

/** POST /v1/conversations/{conversation_id}: replaces the metadata. Throws a 404 `ApiError`. */
export async function updateConversation(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const { metadata } = await readBody(context, request, conversationUpdateSchema);
  const owner = await ownerOf(context.apiKeys, request);
  const changed = await changeConversation(context.responses, owner, id, ({ input, response }) => ({
    input,
    response: { ...response, metadata },
  }));
  return jsonReply(toObject(changed));
}

/** DELETE /v1/conversations/{conversation_id}. Throws a 404 `ApiError`. */
export async function deleteConversation(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const owner = await ownerOf(context.apiKeys, request);
  await storedConversation(context.responses, owner, id);
  await context.responses.remove(owner, id);
  return jsonReply({ id, object: 'conversation.deleted', deleted: true });
}

/** POST /v1/conversations/{conversation_id}/items. Throws a 404 `ApiError`. */
export async function createItems(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const { items } = await readBody(context, request, conversationItemsSchema);
  const owner = await ownerOf(context.apiKeys, request);
  return jsonReply(listPage(await appendItems(context.responses, owner, id, items), false));
}

/** GET /v1/conversations/{conversation_id}/items: a page of items, the newest first. Throws a 404 `ApiError`. */
export async function listItems(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  const wanted = readPage(request.query, { usual: PAGE, most: MOST_ON_PAGE });
  const owner = await ownerOf(context.apiKeys, request);
  const newestFirst = itemsOf(await storedConversation(context.responses, owner, id)).toReversed();
  return jsonReply(pageOf(newestFirst, wanted, (after) => itemNotFound(after, 'after')));
}

/** GET /v1/conversations/{conversation_id}/items/{item_id}. Throws a 404 `ApiError`. */
export async function getItem(context: RequestContext, request: ApiRequest, path: string): Promise<ApiReply> {
  const [id = '', itemId = ''] = path.split('/');
  const owner = await ownerOf(context.apiKeys, request);
  const items = itemsOf(await storedConversation(context.responses, owner, id));
  const found = items.find((item) => item.id === itemId);
  if (!found) throw itemNotFound(itemId, 'item_id');
  return jsonReply(found);
}

/** DELETE /v1/conversations/{conversation_id}/items/{item_id}: answers with the conversation. Throws a 404 `ApiError`. */
export async function deleteItem(context: RequestContext, request: ApiRequest, path: string): Promise<ApiReply> {
  const [id = '', itemId = ''] = path.split('/');
  const owner = await ownerOf(context.apiKeys, request);
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

function itemNotFound(id: string, param: string): ApiError {
  return notFound(`Item with id '${id}' not found in this conversation.`, param, 'item_not_found');
}
