import { newId } from '../data/new-id.ts';
import type { Settings } from '../data/settings.ts';
import { currentHead, headOf } from '../data/state.ts';
import { exportText, importText } from '../data/transfer.ts';
import { type HeadValues, newHead, show, withValues } from '../data/tree/operations.ts';
import type { Head } from '../data/tree/tree.ts';
import { idInAddress, showInAddress } from './address.ts';
import { type Context, change, messageOf, readMessages, setValues, take, tell } from './context.ts';
import type { DraftActions } from './drafts.ts';

/** A deleted conversation can be restored for so long, in ms. After that its words are removed for good. */
const RESTORE_MS = 24 * 60 * 60 * 1000;

export interface ConversationActions {
  /** Lists the stored conversations and opens the one that the address names, if it exists. */
  restore(): Promise<void>;
  /** Begins a conversation with the settings of the current one. */
  begin(): void;
  open(id: string): Promise<void>;
  /** Opens what the address names: a conversation, or a new one. */
  followAddress(): void;
  remove(id: string): void;
  undoRemove(ids: string[]): void;
  /** Shows another version of a message, and what was said after it. */
  showVersion(messageId: string): void;
  changeSettings(settings: Settings): void;
  rename(title: string): void;
  /** Returns the text of a file with all conversations. */
  exportAll(): Promise<string>;
  /** Joins the conversations of an export file to those that are here. */
  importAll(file: Blob): Promise<void>;
}

interface Needs {
  stop: (id: string) => void;
  drafts: DraftActions;
}

export function conversationActions(context: Context, { stop, drafts }: Needs): ConversationActions {
  const { store, database, clock } = context;

  const begin = () => {
    const { settings, model } = currentHead(store.get());
    const head = newHead(newId(), clock.next(), settings.value, model.value);
    store.dispatch({ kind: 'fresh', head });
    store.dispatch({ kind: 'open', id: head.id });
    void drafts.read();
  };
  const open = async (id: string) => {
    if (!headOf(store.get(), id)) {
      tell(context, 'This conversation is not here any more.', 'bad');
      if (store.get().currentId === id) begin();
      return;
    }
    if (!store.get().chats.messages[id]) await readMessages(context, id);
    store.dispatch({ kind: 'open', id });
    showInAddress(id);
    await drafts.read();
  };
  const setCurrent = (values: Partial<HeadValues>) => setValues(context, store.get().currentId, values);

  return {
    restore: async () => {
      try {
        const heads = await database.heads();
        take(context, { heads, messages: [] });
        for (const head of heads) if (isOver(head)) await database.erase(head);
      } catch {
        store.dispatch({ kind: 'kept', kept: false });
      }
      const id = idInAddress();
      if (id !== '') await open(id);
      else await drafts.read();
    },
    begin: () => {
      begin();
      showInAddress(null);
    },
    open,
    followAddress: () => {
      const id = idInAddress();
      if (id !== '') void open(id);
      else begin();
    },
    remove: (id) => {
      const head = headOf(store.get(), id);
      if (!head) return;
      stop(id);
      setValues(context, id, { deleted: true });
      if (store.get().currentId === id) {
        begin();
        showInAddress(null);
      }
      const text = `Deleted “${head.title.value}”.`;
      store.dispatch({ kind: 'notice', notice: { text, tone: 'plain', restore: [id] } });
    },
    undoRemove: (ids) => {
      store.dispatch({ kind: 'notice', notice: null });
      for (const id of ids) setValues(context, id, { deleted: false });
      const [first] = ids;
      if (first !== undefined) void open(first);
    },
    showVersion: (messageId) => {
      const head = currentHead(store.get());
      void change(context, show(head, store.get().chats.messages[head.id] ?? {}, messageId, clock.next()));
    },
    changeSettings: (settings) => setCurrent({ settings }),
    rename: (title) => setCurrent({ title }),
    exportAll: async () => {
      const { chats } = store.get();
      const inMemory = {
        heads: Object.values(chats.heads),
        messages: Object.values(chats.messages).flatMap(Object.values),
      };
      return exportText(await database.all().catch(() => inMemory));
    },
    importAll: async (file) => {
      try {
        const { heads, messages } = importText(await file.text());
        const { chats } = store.get();
        const isNew = ({ id, updatedAt }: Head) => {
          const known = chats.heads[id];
          return !known || known.deleted.value || known.updatedAt < updatedAt;
        };
        const taken = heads.filter(isNew);
        // One that was deleted here comes back.
        const back = taken.map((head) => withValues(head, { deleted: false }, clock.next()));
        for (const { id } of heads) store.dispatch({ kind: 'read', id });
        await change(context, { heads: [...heads, ...back], messages });
        await Promise.all(heads.map(({ id }) => readMessages(context, id)));
        tell(context, importedText(taken.length, heads.length - taken.length));
      } catch (error) {
        tell(context, messageOf(error), 'bad');
      }
    },
  };
}

/** True if a conversation was deleted so long ago that its words are to be removed. */
function isOver({ deleted, title }: Head): boolean {
  return deleted.value && title.value !== '' && deleted.at.time < Date.now() - RESTORE_MS;
}

function importedText(taken: number, known: number): string {
  const chats = (count: number) => (count === 1 ? '1 chat' : `${count} chats`);
  const rest = known === 0 ? '' : ` ${chats(known)} ${known === 1 ? 'was' : 'were'} here already.`;
  return taken === 0 && known > 0 ? `Nothing new:${rest}` : `Imported ${chats(taken)}.${rest}`;
}
