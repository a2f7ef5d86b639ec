import { type DBSchema, openDB } from 'idb';
import { type Conversation, type Summary, toSummary } from '../data/conversation.ts';

/** The conversations that this browser keeps. Every call throws where it can keep none. */
export interface Database {
  summaries(): Promise<Summary[]>;
  get(id: string): Promise<Conversation | undefined>;
  all(): Promise<Conversation[]>;
  put(conversation: Conversation): Promise<void>;
  delete(id: string): Promise<void>;
}

interface Schema extends DBSchema {
  conversations: { key: string; value: Conversation };
  /** Apart, so that the list needs no conversation whole. */
  summaries: { key: string; value: Summary };
}

const BOTH = ['conversations', 'summaries'] as const;

export function openDatabase(): Database {
  const opening = openDB<Schema>('paddock-chat', 1, {
    upgrade(database) {
      for (const name of BOTH) database.createObjectStore(name, { keyPath: 'id' });
    },
  });
  // Whoever calls hears of the failure; nobody may call at all.
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
