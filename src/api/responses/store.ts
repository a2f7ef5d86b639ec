import type { ContentItem } from './items.ts';
import type { ConversationObject, OutputItem, ResponseObject } from './objects.ts';

/** A response that has ended, with the conversation that it answers. The instructions are the response's own. */
export interface StoredResponse {
  input: ContentItem[];
  response: ResponseObject;
}

/** A conversation that a client keeps here: its items are its `input`. */
export interface StoredConversation {
  input: ContentItem[];
  response: ConversationObject;
}

/** What the store keeps under an id. */
export type Stored = StoredResponse | StoredConversation;

/** True if a response is stored, and not a conversation. */
export function isResponse(stored: Stored | undefined): stored is StoredResponse {
  return stored?.response.object === 'response';
}

/** True if a conversation is stored. */
export function isConversation(stored: Stored | undefined): stored is StoredConversation {
  return stored?.response.object === 'conversation';
}

/**
 * Stores responses and conversations, so that clients can refer to them later. They are only found under the `owner`
 * that stored them. They are bounded, so each may be gone at any time.
 */
export interface ResponseStore {
  /** Stores a response or a conversation. Replaces what has the same id. */
  put(owner: string, stored: Stored): Promise<void>;
  find(owner: string, id: string): Promise<Stored | undefined>;
  /** Finds an output item of any stored response. */
  findItem(owner: string, itemId: string): Promise<OutputItem | undefined>;
  /** Deletes a response or a conversation. Resolves to false if it is not stored. */
  remove(owner: string, id: string): Promise<boolean>;
}

export interface StoreLimits {
  responses: number;
  /** The most memory for the JSON texts of all responses and their conversations, in bytes. */
  bytes: number;
}

/**
 * An agent's turn has a conversation of 50 to 100 KB, so the store holds hundreds of turns, and it is small compared to
 * a model. The number of responses limits the memory of short conversations besides their text.
 */
export const STORE_LIMITS: StoreLimits = { responses: 2000, bytes: 64 * 1024 * 1024 };

type Entry = Stored & { bytes: number };

/** The responses of one owner. */
interface Share {
  /** In the order of their last use. */
  entries: Map<string, Entry>;
  bytes: number;
}

/**
 * Keeps responses in memory. When the store is full, it evicts the least recently used response of the owner who fills the largest part of
 * it, so that one owner can't evict the responses of others. A response larger than the whole store is not kept.
 */
export function createResponseStore(limits: StoreLimits = STORE_LIMITS): ResponseStore {
  const shares = new Map<string, Share>();
  /** The response that has each output item. */
  const responseOf = new Map<string, string>();
  const total = { responses: 0, bytes: 0 };

  const drop = (owner: string, share: Share, id: string, entry: Entry) => {
    share.entries.delete(id);
    share.bytes -= entry.bytes;
    if (share.entries.size === 0) shares.delete(owner);
    total.responses -= 1;
    total.bytes -= entry.bytes;
    for (const item of entry.response.output) responseOf.delete(item.id);
  };
  const use = (owner: string, id: string): Entry | undefined => {
    const entries = shares.get(owner)?.entries;
    const entry = entries?.get(id);
    if (!entries || !entry) return undefined;
    entries.delete(id);
    entries.set(id, entry);
    return entry;
  };
  const partOf = ({ entries, bytes }: Share) => Math.max(entries.size / limits.responses, bytes / limits.bytes);
  const evict = () => {
    const [first, ...others] = shares;
    if (!first) return;
    const [owner, share] = others.reduce((most, next) => (partOf(next[1]) > partOf(most[1]) ? next : most), first);
    const [oldest] = share.entries;
    if (oldest) drop(owner, share, ...oldest);
  };

  return {
    async put(owner, stored) {
      const { response } = stored;
      const entry: Entry = { ...stored, bytes: jsonBytesOf(stored) };
      const before = shares.get(owner);
      const replaced = before?.entries.get(response.id);
      if (before && replaced) drop(owner, before, response.id, replaced);
      if (entry.bytes > limits.bytes) return;
      const share = shares.get(owner) ?? { entries: new Map(), bytes: 0 };
      shares.set(owner, share);
      share.entries.set(response.id, entry);
      share.bytes += entry.bytes;
      total.responses += 1;
      total.bytes += entry.bytes;
      for (const item of response.output) responseOf.set(item.id, response.id);
      while (total.responses > limits.responses || total.bytes > limits.bytes) evict();
    },
    find: async (owner, id) => use(owner, id),
    async findItem(owner, itemId) {
      const entry = use(owner, responseOf.get(itemId) ?? '');
      return entry?.response.output.find(({ id }) => id === itemId);
    },
    async remove(owner, id) {
      const share = shares.get(owner);
      const entry = share?.entries.get(id);
      if (share && entry) drop(owner, share, id, entry);
      return entry !== undefined;
    },
  };
}

/** Returns the memory of a value as JSON text, in bytes. JavaScript uses at most two bytes for a character. */
export function jsonBytesOf(value: unknown): number {
  return JSON.stringify(value).length * 2;
}
