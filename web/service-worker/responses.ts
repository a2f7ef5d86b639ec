import { type DBSchema, openDB } from 'idb';
import {
  jsonBytesOf,
  type ResponseStore,
  STORE_LIMITS,
  type Stored,
  type StoreLimits,
} from '../../src/api/responses/store.ts';
import { once } from '../../src/utils/once.ts';

/**
 * Responses that were not used for this long are removed, in ms: a user is unlikely to continue them by their ids, and
 * conversations should not stay stored for ever.
 */
const MOST_IDLE_MS = 24 * 60 * 60 * 1000;

/** The facts about a stored response that decide if it is removed. */
interface Entry {
  id: string;
  owner: string;
  bytes: number;
  /** Unix time of the last use, in ms. */
  used: number;
  /** The ids of its output items. */
  items: string[];
}

interface Schema extends DBSchema {
  responses: { key: string; value: Stored & { id: string } };
  /** A separate store, so that choosing the responses to remove does not read their content. */
  entries: { key: string; value: Entry; indexes: { items: string } };
}

const BOTH = ['responses', 'entries'] as const;

/**
 * Keeps responses in IndexedDB, because the browser may stop the service worker between two requests. The limits are
 * those of a server. Each `put` also removes the responses that were not used for a day.
 */
export function createBrowserResponseStore(limits: StoreLimits = STORE_LIMITS): ResponseStore {
  const database = once(open);
  const begin = async () => {
    const transaction = (await database()).transaction(BOTH, 'readwrite');
    return {
      responses: transaction.objectStore('responses'),
      entries: transaction.objectStore('entries'),
      done: transaction.done,
    };
  };

  /** Returns the stored response and updates the time of its last use. */
  const use = async (owner: string, id: string): Promise<Stored | undefined> => {
    const { responses, entries, done } = await begin();
    const entry = await entries.get(id);
    if (entry?.owner !== owner) return undefined;
    const [stored] = await Promise.all([responses.get(id), entries.put({ ...entry, used: Date.now() }), done]);
    return stored && ({ input: stored.input, response: stored.response } as Stored);
  };

  return {
    async put(owner, stored) {
      const { id, output } = stored.response;
      const entry = {
        id,
        owner,
        bytes: jsonBytesOf(stored),
        used: Date.now(),
        items: output.map((item) => item.id),
      };
      if (entry.bytes > limits.bytes) return;
      const { responses, entries, done } = await begin();
      await Promise.all([responses.put({ ...stored, id }), entries.put(entry)]);
      for (const { id } of surplus(await entries.getAll(), limits, Date.now())) {
        await Promise.all([responses.delete(id), entries.delete(id)]);
      }
      await done;
    },
    find: use,
    async findItem(owner, itemId) {
      const { entries } = await begin();
      const id = await entries.index('items').getKey(itemId);
      const stored = id && (await use(owner, id));
      return stored ? stored.response.output.find((item) => item.id === itemId) : undefined;
    },
    async remove(owner, id) {
      const { responses, entries, done } = await begin();
      const isTheirs = (await entries.get(id))?.owner === owner;
      if (isTheirs) await Promise.all([responses.delete(id), entries.delete(id), done]);
      return isTheirs;
    },
  };
}

function open() {
  return openDB<Schema>('paddock-responses', 1, {
    upgrade(database) {
      database.createObjectStore('responses', { keyPath: 'id' });
      database.createObjectStore('entries', { keyPath: 'id' }).createIndex('items', 'items', { multiEntry: true });
    },
  });
}

/**
 * Returns the entries to remove: the least recently used ones beyond the limits, and all that were not used for a day.
 */
export function surplus<E extends Pick<Entry, 'bytes' | 'used'>>(entries: E[], limits: StoreLimits, now: number): E[] {
  const latest = entries.toSorted((one, other) => other.used - one.used);
  let bytes = 0;
  return latest.filter((entry, index) => {
    bytes += entry.bytes;
    return index >= limits.responses || bytes > limits.bytes || entry.used < now - MOST_IDLE_MS;
  });
}
