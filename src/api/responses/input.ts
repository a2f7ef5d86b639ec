import { ApiError, invalidRequest } from '../../contract/errors.ts';
import type { ContentItem, InputItem } from './items.ts';
import type { PlacedItem } from './messages.ts';
import type { ResponseRequest } from './schema.ts';
import type { ResponseStore } from './store.ts';

/**
 * Returns the whole conversation of a request: the input and output of the previous response, and the new input, in
 * which each reference is replaced by its item. Throws a 400 `ApiError` for a response or an item that is not stored.
 */
export async function resolveInput(
  { input, previous_response_id: previousId }: ResponseRequest,
  store: ResponseStore,
  owner: string,
): Promise<PlacedItem[]> {
  const before = previousId ? await readPrevious(previousId, store, owner) : [];
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

async function readPrevious(id: string, store: ResponseStore, owner: string): Promise<PlacedItem[]> {
  const stored = await store.find(owner, id);
  if (!stored) {
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

/** 404: no response is stored under this id. */
export function responseNotFound(id: string): ApiError {
  return new ApiError({
    status: 404,
    type: 'invalid_request_error',
    code: 'response_not_found',
    param: 'id',
    message: `Response with id '${id}' not found.`,
  });
}
