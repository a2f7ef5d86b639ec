import { createTurns } from '../../utils/turns.ts';
import { newPrefixedId } from '../generation/ids.ts';
import { conversationNotFound } from '../responses/input.ts';
import type { ContentItem } from '../responses/items.ts';
import { isConversation, type ResponseStore, type StoredConversation } from '../responses/store.ts';

/** An item of a conversation: as it was sent, with an id, and with its text in parts. */
export type ConversationItem = ContentItem & { id: string };

/** The prefixes of ids, as OpenAI has them. */
const PREFIXES: Record<ContentItem['type'], string> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  reasoning: 'rs',
  mcp_list_tools: 'mcpl',
  mcp_call: 'mcp',
  mcp_approval_request: 'mcpr',
  mcp_approval_response: 'mcprr',
};

/** Changes of conversations run one after the other, so that none reads what another is about to replace. */
const inTurn = createTurns();

/** Returns a stored conversation. Throws a 404 `ApiError` if there is none. */
export async function storedConversation(store: ResponseStore, owner: string, id: string): Promise<StoredConversation> {
  const stored = await store.find(owner, id);
  if (!isConversation(stored)) throw conversationNotFound(id);
  return stored;
}

/** Changes a stored conversation, and returns it. Throws a 404 `ApiError` if there is none. */
export function changeConversation(
  store: ResponseStore,
  owner: string,
  id: string,
  change: (before: StoredConversation) => StoredConversation,
): Promise<StoredConversation> {
  return inTurn(async () => {
    const changed = change(await storedConversation(store, owner, id));
    await store.put(owner, changed);
    return changed;
  });
}

/** Appends items to a conversation, and returns them with their ids. Throws a 404 `ApiError` if there is no such one. */
export async function appendItems(
  store: ResponseStore,
  owner: string,
  id: string,
  items: ContentItem[],
): Promise<ConversationItem[]> {
  const added = items.map(toConversationItem);
  await changeConversation(store, owner, id, ({ input, response }) => ({ input: [...input, ...added], response }));
  return added;
}

/** Gives an item an id and a status, and puts the text of a message into a part, as OpenAI's clients expect it. */
export function toConversationItem(item: ContentItem): ConversationItem {
  const { id = newPrefixedId(PREFIXES[item.type]) } = item as { id?: string };
  const whole = { status: 'completed', ...item, id };
  if (item.type !== 'message' || typeof item.content !== 'string') return whole as ConversationItem;
  const part =
    item.role === 'assistant'
      ? { type: 'output_text', text: item.content, annotations: [], logprobs: [] }
      : { type: 'input_text', text: item.content };
  return { ...whole, content: [part] } as ConversationItem;
}

/** Returns the items of a conversation. All of them have ids. */
export function itemsOf({ input }: StoredConversation): ConversationItem[] {
  return input as ConversationItem[];
}
