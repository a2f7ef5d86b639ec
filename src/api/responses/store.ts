import type { ContentItem } from './items.ts';
import type { OutputItem, ResponseObject } from './objects.ts';

/** A response that has ended, with the conversation that it answers. The instructions are the response's own. */
export interface StoredResponse {
  input: ContentItem[];
  response: ResponseObject;
}

/**
 * The responses that clients may come back to. `owner` says whose they are: nobody finds what another one has stored. They are
 * bounded, so a response may be gone at any time.
 */
export interface ResponseStore {
  put(owner: string, stored: StoredResponse): Promise<void>;
  find(owner: string, id: string): Promise<StoredResponse | undefined>;
  /** Finds an output item of any stored response. */
  findItem(owner: string, itemId: string): Promise<OutputItem | undefined>;
  /** Says whether it was there. */
  remove(owner: string, id: string): Promise<boolean>;
}

export interface StoreLimits {
  responses: number;
  /** What the JSON text of all responses and their conversations takes in memory. */
  bytes: number;
}

/**
 * An agent's turn has a conversation of 50 to 100 KB, so this holds hundreds of turns, and it is small beside a model. The number
 * bounds what short conversations cost besides their text.
 */
export const STORE_LIMITS: StoreLimits = { responses: 2000, bytes: 64 * 1024 * 1024 };

interface Entry extends StoredResponse {
  owner: string;
  bytes: number;
}

/** Keeps responses in memory. Those that were used longest ago go first. One that is larger than the whole store is not kept. */
export function createResponseStore(limits: StoreLimits = STORE_LIMITS): ResponseStore {
  /** In the order of their last use. */
  const entries = new Map<string, Entry>();
  /** The response that has each output item. */
  const responseOf = new Map<string, string>();
  let bytes = 0;

  const drop = (id: string, entry: Entry) => {
    entries.delete(id);
    bytes -= entry.bytes;
    for (const item of entry.response.output) responseOf.delete(item.id);
  };
  const use = (owner: string, id: string): Entry | undefined => {
    const entry = entries.get(id);
    if (entry?.owner !== owner) return undefined;
    entries.delete(id);
    entries.set(id, entry);
    return entry;
  };

  return {
    async put(owner, { input, response }) {
      const entry = { owner, input, response, bytes: bytesOf({ input, response }) };
      if (entry.bytes > limits.bytes) return;
      entries.set(response.id, entry);
      bytes += entry.bytes;
      for (const item of response.output) responseOf.set(item.id, response.id);
      for (const [id, oldest] of entries) {
        if (entries.size <= limits.responses && bytes <= limits.bytes) return;
        drop(id, oldest);
      }
    },
    find: async (owner, id) => use(owner, id),
    async findItem(owner, itemId) {
      const entry = use(owner, responseOf.get(itemId) ?? '');
      return entry?.response.output.find(({ id }) => id === itemId);
    },
    async remove(owner, id) {
      const entry = use(owner, id);
      if (entry) drop(id, entry);
      return entry !== undefined;
    },
  };
}

/** What a value takes as JSON text: JavaScript has at most two bytes for a character. */
export function bytesOf(value: unknown): number {
  return JSON.stringify(value).length * 2;
}
