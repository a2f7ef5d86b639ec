import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from 'idb';
import type { Attachment } from '../attachments/attachments.ts';
import type { DraftPart, SentDraft } from '../composer/draft.ts';
import type { ShownConversation } from '../conversation/conversation.ts';
import { erased, isErased, isOver } from '../conversation/tree/erase.ts';
import { merge, mergeHead, mergeMessage } from '../conversation/tree/merge.ts';
import { fromList } from '../conversation/tree/operations.ts';
import { type Field, later } from '../conversation/tree/stamp.ts';
import { type Head, type MessageNode, NO_CHATS, type Patch } from '../conversation/tree/tree.ts';

/** The conversations and drafts that this browser stores. Every call throws if the browser denies storage. */
export interface Database {
  /** Resolves if a tab with an older version of the page is open. Nothing can be read until that tab is closed. */
  blocked: Promise<void>;
  heads(): Promise<Head[]>;
  messages(conversationId: string): Promise<MessageNode[]>;
  /** Returns all conversations with their messages, without drafts. */
  all(): Promise<Patch>;
  /** Calls `visit` with every message until the signal is aborted. Few messages are in memory at a time. */
  eachMessage(visit: (message: MessageNode) => void, signal: AbortSignal): Promise<void>;
  /**
   * Merges a patch into the stored conversations. All tabs may do this at once. Messages of an erased conversation are
   * left out. If the patch is the message that was `sent` from a draft, that draft is emptied in the same transaction:
   * if the page is closed meanwhile, the text is stored either in the message or in the draft.
   */
  merge(patch: Patch, sent?: SentDraft): Promise<void>;
  /**
   * Erases the content of these conversations: messages, titles, settings and drafts. Skips a conversation that is not
   * over at `now`, in ms (see `isOver`). The store keeps the fact that each was deleted.
   */
  erase(ids: string[], now: number): Promise<void>;
  draft(key: string): Promise<DraftPart>;
  putDraft(key: string, draft: DraftPart): Promise<void>;
}

type Row<T> = Field<T> & { id: string };

interface Schema extends DBSchema {
  heads: { key: string; value: Head };
  /** Apart from the heads, so that listing conversations reads no messages and a growing reply is written alone. */
  messages: { key: [conversation: string, id: string]; value: MessageNode };
  draftTexts: { key: string; value: Row<string> };
  draftAttachments: { key: string; value: Row<Attachment[]> };
}

/** The stores of version 1, where a conversation was a list of turns. */
interface FirstSchema extends DBSchema {
  conversations: { key: string; value: ShownConversation };
  summaries: { key: string; value: unknown };
}

type StoreName = StoreNames<Schema>;
type Writing = IDBPTransaction<Schema, StoreName[], 'readwrite'>;

const DRAFTS = ['draftTexts', 'draftAttachments'] as const;

const VERSION = 2;

/** The number of messages that are read at a time while all are visited. Messages may hold pictures. */
const AT_ONCE = 200;

/**
 * Opens the database of the page. `onOutdated` is called when a tab with a newer version of the page opens: from then
 * on, this tab can store nothing.
 */
export function openDatabase(onOutdated: () => void): Database {
  let setBlocked = () => {};
  const blocked = new Promise<void>((resolve) => {
    setBlocked = resolve;
  });
  const opening = open(setBlocked, onOutdated);
  // Each call below throws the error. This handler prevents an unhandled rejection if there is no call.
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
    eachMessage: async (visit, signal) => eachMessage(await opening, visit, signal),
    merge: async (patch, sent) => mergePatch(await opening, patch, sent),
    erase: async (ids, now) => eraseOver(await opening, ids, now),
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

/** Opens the database. It is `async` because a browser that denies storage throws at once. */
async function open(onBlocked: () => void, onOutdated: () => void): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>('paddock-chat', VERSION, {
    upgrade,
    blocked: onBlocked,
    blocking(_current, _blocked, event) {
      (event.target as IDBDatabase).close();
      onOutdated();
    },
  });
}

async function eachMessage(
  database: IDBPDatabase<Schema>,
  visit: (message: MessageNode) => void,
  signal: AbortSignal,
): Promise<void> {
  let after: IDBKeyRange | null = null;
  while (!signal.aborted) {
    const messages: MessageNode[] = await database.getAll('messages', after, AT_ONCE);
    for (const message of messages) visit(message);
    const last = messages.at(-1);
    if (!last || messages.length < AT_ONCE) return;
    after = IDBKeyRange.lowerBound([last.conversation, last.id], true);
  }
}

async function mergePatch(database: IDBPDatabase<Schema>, patch: Patch, sent?: SentDraft): Promise<void> {
  const stores: StoreName[] = ['heads', 'messages', ...(sent ? DRAFTS : [])];
  const transaction = database.transaction(stores, 'readwrite');
  // A patch may hold a head or message twice. Merged into nothing, it holds each once.
  const parts = merge(NO_CHATS, patch);
  const ids = new Set([...Object.keys(parts.heads), ...Object.keys(parts.messages)]);
  const merging = [...ids].map((id) =>
    mergeOne(transaction, id, parts.heads[id], Object.values(parts.messages[id] ?? {})),
  );
  await Promise.all([...merging, sent && emptyDraft(transaction, sent), transaction.done]);
}

/** Merges a conversation's head, if it is given, and messages into the stored ones. */
async function mergeOne(transaction: Writing, id: string, head: Head | undefined, own: MessageNode[]): Promise<void> {
  const [heads, messages] = [transaction.objectStore('heads'), transaction.objectStore('messages')];
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
}

async function eraseOver(database: IDBPDatabase<Schema>, ids: string[], now: number): Promise<void> {
  const transaction = database.transaction(['heads', 'messages', ...DRAFTS], 'readwrite');
  const eraseOne = async (id: string) => {
    // Another tab may have restored the conversation since these ids were read.
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
}

/** Empties the draft that was sent. Text and attachments that were written later stay. */
async function emptyDraft(transaction: Writing, { key, parts }: SentDraft): Promise<void> {
  const [texts, files] = [transaction.objectStore('draftTexts'), transaction.objectStore('draftAttachments')];
  const [text, attachments] = await Promise.all([texts.get(key), files.get(key)]);
  await Promise.all([
    parts.text && texts.put({ ...later(parts.text, text ?? parts.text), id: key }),
    parts.attachments && files.put({ ...later(parts.attachments, attachments ?? parts.attachments), id: key }),
  ]);
}

/** Writes a row and commits at once, because the page may be about to close. */
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
  // IndexedDB orders arrays after strings, so this range holds every message id.
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
