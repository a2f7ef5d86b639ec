import { type ApiError, invalidRequest, notFound } from '../../contract/errors.ts';
import type { ContentItem, InputItem, PlacedItem } from './items.ts';
import type { ResponseRequest } from './schema.ts';
import { isConversation, isResponse, type ResponseStore } from './store.ts';

/**
 * Returns the whole conversation of a request: the items of its stored conversation, or the input and output of the
 * previous response, and the new input, in which each reference is replaced by its item. Throws a 400 `ApiError` for a
 * response or an item that is not stored, and a 404 for a conversation.
 */
export async function resolveInput(
  request: ResponseRequest,
  store: ResponseStore,
  owner: string,
): Promise<PlacedItem[]> {
  const before = await readBefore(request, store, owner);
  const { input } = request;
  const added = typeof input === 'string' ? [userMessage(input)] : (input ?? []);
  if (before.length + added.length === 0) throw invalidRequest('input must have at least 1 item.', 'input');
  const items = await Promise.all(
    added.map(async (item, index) => {
      const param = typeof input === 'string' ? 'input' : `input[${index}]`;
      return { item: await resolve(item, param, store, owner), param };
    }),
  );
  return [...before, ...items];
}

/** Returns the id of the conversation that a request belongs to; null if it belongs to none. */
export function conversationIdOf({ conversation }: ResponseRequest): string | null {
  return (typeof conversation === 'string' ? conversation : conversation?.id) ?? null;
}

async function readBefore(request: ResponseRequest, store: ResponseStore, owner: string): Promise<PlacedItem[]> {
  const conversationId = conversationIdOf(request);
  const { previous_response_id: previousId } = request;
  if (conversationId === null) return previousId ? readPrevious(previousId, store, owner) : [];
  if (previousId)
    throw invalidRequest("conversation can't be combined with previous_response_id.", 'previous_response_id');
  const stored = await store.find(owner, conversationId);
  if (!isConversation(stored)) throw conversationNotFound(conversationId);
  return stored.input.map((item) => ({ item, param: 'conversation' }));
}

async function readPrevious(id: string, store: ResponseStore, owner: string): Promise<PlacedItem[]> {
  const stored = await store.find(owner, id);
  if (!isResponse(stored)) {
    const message = `Previous response with id '${id}' not found.`;
    throw invalidRequest(message, 'previous_response_id', 'previous_response_not_found');
  }
  const items: ContentItem[] = [...stored.input, ...stored.response.output];
  return items.map((item) => ({ item, param: 'previous_response_id' }));
}

async function resolve(item: InputItem, param: string, store: ResponseStore, owner: string): Promise<ContentItem> {
  if (item.type !== 'item_reference') return item;
  const found = await store.findItem(owner, item.id);
  if (found) return found;
  const kept = 'Items are kept for a while, and only those of responses whose store is not false.';
  throw invalidRequest(`Item with id '${item.id}' not found. ${kept}`, param, 'item_not_found');
}

function userMessage(text: string): ContentItem {
  return { type: 'message', role: 'user', content: text };
}

/** 404: no conversation is stored under this id. */
export function conversationNotFound(id: string): ApiError {
  return notFound(`Conversation with id '${id}' not found.`, 'conversation', 'conversation_not_found');
}

/** 404: no response is stored under this id. */
export function responseNotFound(id: string): ApiError {
  return notFound(`Response with id '${id}' not found.`, 'id', 'response_not_found');
}
