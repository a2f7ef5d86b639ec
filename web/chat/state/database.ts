import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from 'idb';
import type { Attachment } from '../attachments/attachments.ts';
import type { DraftPart, SentDraft } from '../composer/draft.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { erased, isErased, isOver } from '../conversation/tree/erase.ts';
import { merge, mergeHead, mergeMessage } from '../conversation/tree/merge.ts';
import { fromList } from '../conversation/tree/operations.ts';
import { type Field, later } from '../conversation/tree/stamp.ts';
import { type Head, type Message, NO_CHATS, type Patch } from '../conversation/tree/tree.ts';

/** What this browser keeps for the page. Every call throws if the browser keeps nothing. */
export interface Database {
  /** Resolves if another tab uses an older version of the page: nothing can be read before that one is closed. */
  blocked: Promise<void>;
  heads(): Promise<Head[]>;
  messages(conversationId: string): Promise<Message[]>;
  /** Everything but drafts. */
  all(): Promise<Patch>;
  /** Shows all messages to `visit`, some at a time, until the signal is aborted. */
  eachMessage(visit: (message: Message) => void, signal: AbortSignal): Promise<void>;
  /**
   * Joins a change to what is stored. All tabs may do this at once. Messages of an erased conversation are left out. If
   * the change is what was `sent`, its draft is emptied with it: it is stored in one of the two, whenever the page ends.
   */
  merge(patch: Patch, sent?: SentDraft): Promise<void>;
  /**
   * Removes the words of those of these conversations that are over at this time: messages, titles, settings and drafts.
   * That they are deleted stays known.
   */
  erase(ids: string[], now: number): Promise<void>;
  draft(key: string): Promise<DraftPart>;
  putDraft(key: string, draft: DraftPart): Promise<void>;
}

type Row<T> = Field<T> & { id: string };

interface Schema extends DBSchema {
  heads: { key: string; value: Head };
  /** A store of its own, so that the list does not have to read messages, and a growing reply is written alone. */
  messages: { key: [conversation: string, id: string]; value: Message };
  draftTexts: { key: string; value: Row<string> };
  draftAttachments: { key: string; value: Row<Attachment[]> };
}

/** The stores of version 1: conversations were lists of turns. */
interface FirstSchema extends DBSchema {
  conversations: { key: string; value: Conversation };
  summaries: { key: string; value: unknown };
}

type StoreName = StoreNames<Schema>;
type Writing = IDBPTransaction<Schema, StoreName[], 'readwrite'>;

const DRAFTS = ['draftTexts', 'draftAttachments'] as const;

const VERSION = 2;

/** So many messages are in memory while all are looked through. They may hold pictures. */
const AT_ONCE = 200;

/** `onOutdated` is called when another tab uses a newer version of the page: this one can store nothing any more. */
export function openDatabase(onOutdated: () => void): Database {
  let setBlocked = () => {};
  const blocked = new Promise<void>((resolve) => {
    setBlocked = resolve;
  });
  // `async`, because browsers that deny storage throw at once.
  const open = async () =>
    openDB<Schema>('paddock-chat', VERSION, {
      upgrade,
      blocked: setBlocked,
      blocking(_current, _blocked, event) {
        (event.target as IDBDatabase).close();
        onOutdated();
      },
    });
  const opening = open();
  // Each call below gets the error. This prevents an unhandled rejection if there is no call.
  opening.catch(() => {});

  return {
    blocked,
    heads: async () => (await opening).getAll('heads'),
    messages: async (conversationId) => (await opening).getAll('messages', messagesOf(conversationId)),
    all: async () => {
      const database = await opening;
      const [heads, messages] = await Promise.all([database.getAll('heads'), database.getAll('messages')]);
      return { heads, messages };
    },
    eachMessage: async (visit, signal) => {
      const database = await opening;
      let after: IDBKeyRange | null = null;
      while (!signal.aborted) {
        const messages: Message[] = await database.getAll('messages', after, AT_ONCE);
        for (const message of messages) visit(message);
        const last = messages.at(-1);
        if (!last || messages.length < AT_ONCE) return;
        after = IDBKeyRange.lowerBound([last.conversation, last.id], true);
      }
    },
    merge: async (patch, sent) => {
      const stores: StoreName[] = ['heads', 'messages', ...(sent ? DRAFTS : [])];
      const transaction = (await opening).transaction(stores, 'readwrite');
      const [heads, messages] = [transaction.objectStore('heads'), transaction.objectStore('messages')];
      // A patch may have a part twice. Joined, it has each part once.
      const parts = merge(NO_CHATS, patch);
      const join = async (id: string) => {
        const head = parts.heads[id];
        const own = Object.values(parts.messages[id] ?? {});
        const [known, ...knownMessages] = await Promise.all([
          heads.get(id),
          ...own.map((message) => messages.get([id, message.id])),
        ]);
        const joined = head ? mergeHead(known, head) : known;
        const isGone = joined !== undefined && isErased(joined);
        await Promise.all([
          ...(head && joined ? [heads.put(joined)] : []),
          ...(isGone ? [] : own.map((message, index) => messages.put(mergeMessage(knownMessages[index], message)))),
        ]);
      };
      const ids = new Set([...Object.keys(parts.heads), ...Object.keys(parts.messages)]);
      await Promise.all([...[...ids].map(join), sent && emptyDraft(transaction, sent), transaction.done]);
    },
    erase: async (ids, now) => {
      const transaction = (await opening).transaction(['heads', 'messages', ...DRAFTS], 'readwrite');
      const eraseOne = async (id: string) => {
        // Another tab may have brought it back since these ids were read.
        const head = await transaction.objectStore('heads').get(id);
        if (!head || !isOver(head, now)) return;
        await Promise.all([
          transaction.objectStore('heads').put(erased(head)),
          transaction.objectStore('messages').delete(messagesOf(id)),
          transaction.objectStore('draftTexts').delete(id),
          transaction.objectStore('draftAttachments').delete(id),
        ]);
      };
      await Promise.all([...ids.map(eraseOne), transaction.done]);
    },
    draft: async (key) => {
      const database = await opening;
      const [text, attachments] = await Promise.all([
        database.get('draftTexts', key),
        database.get('draftAttachments', key),
      ]);
      return { ...(text && { text }), ...(attachments && { attachments }) };
    },
    putDraft: async (key, { text, attachments }) => {
      const database = await opening;
      if (text) await writeNow(database, 'draftTexts', { ...text, id: key });
      if (attachments) await writeNow(database, 'draftAttachments', { ...attachments, id: key });
    },
  };
}

/** What was written after it was sent stays. */
async function emptyDraft(transaction: Writing, { key, parts }: SentDraft): Promise<void> {
  const [texts, files] = [transaction.objectStore('draftTexts'), transaction.objectStore('draftAttachments')];
  const [text, attachments] = await Promise.all([texts.get(key), files.get(key)]);
  await Promise.all([
    parts.text && texts.put({ ...later(parts.text, text ?? parts.text), id: key }),
    parts.attachments && files.put({ ...later(parts.attachments, attachments ?? parts.attachments), id: key }),
  ]);
}

/** Writes without waiting for the page, which may be about to be closed. */
async function writeNow<Name extends 'draftTexts' | 'draftAttachments'>(
  database: IDBPDatabase<Schema>,
  name: Name,
  row: Schema[Name]['value'],
): Promise<void> {
  const transaction = database.transaction(name, 'readwrite');
  const put = transaction.store.put(row);
  transaction.commit();
  await Promise.all([put, transaction.done]);
}

function messagesOf(conversationId: string): IDBKeyRange {
  // Arrays are greater than strings, so every id of a message lies between.
  return IDBKeyRange.bound([conversationId], [conversationId, []]);
}

async function upgrade(
  database: IDBPDatabase<Schema>,
  from: number,
  _to: number | null,
  transaction: IDBPTransaction<Schema, StoreNames<Schema>[], 'versionchange'>,
): Promise<void> {
  const heads = database.createObjectStore('heads', { keyPath: 'id' });
  const messages = database.createObjectStore('messages', { keyPath: ['conversation', 'id'] });
  database.createObjectStore('draftTexts', { keyPath: 'id' });
  database.createObjectStore('draftAttachments', { keyPath: 'id' });
  if (from === 0) return;
  const first = transaction as unknown as IDBPTransaction<FirstSchema, ['conversations'], 'versionchange'>;
  for await (const { value } of first.objectStore('conversations')) {
    const patch = fromList(value);
    for (const head of patch.heads) await heads.put(head);
    for (const message of patch.messages) await messages.put(message);
  }
  const old = database as unknown as IDBPDatabase<FirstSchema>;
  old.deleteObjectStore('conversations');
  old.deleteObjectStore('summaries');
}
