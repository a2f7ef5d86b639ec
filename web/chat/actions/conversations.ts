import { newConversation, settled } from '../data/conversation.ts';
import type { Settings } from '../data/settings.ts';
import { currentConversation } from '../data/state.ts';
import { exportText, importText } from '../data/transfer.ts';
import { idInAddress, showInAddress } from './address.ts';
import { type Context, messageOf, tell } from './context.ts';

export interface ConversationActions {
  /** Lists the stored conversations and opens the one that the address names, if it exists. */
  restore(): Promise<void>;
  /** Begins a conversation with the settings of the current one. */
  begin(): void;
  open(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  undoRemove(): void;
  changeSettings(settings: Settings): void;
  rename(title: string): void;
  /** Returns the text of a file with all conversations. */
  exportAll(): Promise<string>;
  /** Imports the conversations of an export file. A stored one is replaced only by a newer one. */
  importAll(file: Blob): Promise<void>;
}

export function conversationActions(context: Context, stop: (id: string) => void): ConversationActions {
  const { store, database } = context;

  const begin = () => {
    const { settings, model } = currentConversation(store.get());
    store.dispatch({ kind: 'open', conversation: { ...newConversation(Date.now(), settings), model } });
    showInAddress(null);
  };
  const open = async (id: string) => {
    const known = store.get().conversations[id] ?? (await database.get(id).catch(() => undefined));
    if (!known) return tell(context, 'This conversation is not here any more.', 'bad');
    const coming = store.get().coming[id] !== undefined;
    store.dispatch({ kind: 'open', conversation: coming ? known : settled(known) });
    showInAddress(id);
  };
  const change = (part: { settings: Settings } | { title: string }) =>
    store.dispatch({ kind: 'conversation', conversation: { ...currentConversation(store.get()), ...part } });

  return {
    restore: async () => {
      try {
        store.dispatch({ kind: 'summaries', summaries: await database.summaries() });
      } catch {
        tell(context, 'This browser keeps no conversations here; they last until the page is closed.', 'bad');
      }
      const id = idInAddress();
      if (id !== '' && id !== store.get().currentId) await open(id);
    },
    begin,
    open,
    remove: async (id) => {
      stop(id);
      const conversation = store.get().conversations[id] ?? (await database.get(id).catch(() => undefined));
      store.dispatch({ kind: 'delete', id, instead: newConversation(Date.now()) });
      await database.delete(id).catch(() => {});
      if (!conversation) return;
      const text = `Deleted “${conversation.title}”.`;
      store.dispatch({ kind: 'notice', notice: { text, tone: 'plain', undo: conversation } });
    },
    undoRemove: () => {
      const { notice } = store.get();
      if (!notice?.undo) return;
      // `settled` makes a copy: the store saves only objects that are new to it.
      store.dispatch({ kind: 'open', conversation: settled(notice.undo) });
      store.dispatch({ kind: 'notice', notice: null });
    },
    changeSettings: (settings) => change({ settings }),
    rename: (title) => change({ title }),
    exportAll: async () => {
      const kept = await database.all().catch(() => Object.values(store.get().conversations));
      return exportText(kept.filter(({ turns }) => turns.length > 0));
    },
    importAll: async (file) => {
      try {
        const conversations = importText(await file.text());
        const known = new Map(store.get().summaries.map(({ id, updatedAt }) => [id, updatedAt]));
        const newer = conversations.filter(
          ({ id, updatedAt }) => updatedAt > (known.get(id) ?? Number.NEGATIVE_INFINITY),
        );
        for (const conversation of newer) {
          store.dispatch({ kind: 'conversation', conversation: settled(conversation) });
        }
        tell(context, importedText(newer.length, conversations.length - newer.length));
      } catch (error) {
        tell(context, messageOf(error), 'bad');
      }
    },
  };
}

function importedText(taken: number, known: number): string {
  const chats = (count: number) => (count === 1 ? '1 chat' : `${count} chats`);
  const rest = known === 0 ? '' : ` ${chats(known)} ${known === 1 ? 'was' : 'were'} here already.`;
  return taken === 0 && known > 0 ? `Nothing new:${rest}` : `Imported ${chats(taken)}.${rest}`;
}
