import { type DBSchema, openDB } from 'idb';
import { type Conversation, type Summary, toSummary } from '../data/conversation.ts';

/** The conversations stored in this browser. Every call throws if the browser can't store any. */
export interface Database {
  summaries(): Promise<Summary[]>;
  get(id: string): Promise<Conversation | undefined>;
  all(): Promise<Conversation[]>;
  put(conversation: Conversation): Promise<void>;
  delete(id: string): Promise<void>;
}

interface Schema extends DBSchema {
  conversations: { key: string; value: Conversation };
  /** A store of its own, so that the list does not have to read whole conversations. */
  summaries: { key: string; value: Summary };
}

const BOTH = ['conversations', 'summaries'] as const;

export function openDatabase(): Database {
  const opening = openDB<Schema>('paddock-chat', 1, {
    upgrade(database) {
      for (const name of BOTH) database.createObjectStore(name, { keyPath: 'id' });
    },
  });
  // Each call below gets the error. This prevents an unhandled rejection if there is no call.
  opening.catch(() => {});

  return {
    summaries: async () => (await opening).getAll('summaries'),
    get: async (id) => (await opening).get('conversations', id),
    all: async () => (await opening).getAll('conversations'),
    put: async (conversation) => {
      const transaction = (await opening).transaction(BOTH, 'readwrite');
      await Promise.all([
        transaction.objectStore('conversations').put(conversation),
        transaction.objectStore('summaries').put(toSummary(conversation)),
        transaction.done,
      ]);
    },
    delete: async (id) => {
      const transaction = (await opening).transaction(BOTH, 'readwrite');
      await Promise.all([...BOTH.map((name) => transaction.objectStore(name).delete(id)), transaction.done]);
    },
  };
}
