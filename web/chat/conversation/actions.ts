import type { DraftActions } from '../composer/actions.ts';
import { t } from '../messages/language.ts';
import { formatList } from '../messages/numbers.ts';
import { Problem } from '../messages/problem.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { changePresets, settleFresh } from '../presets/actions.ts';
import type { PromptActions } from '../prompts/actions.ts';
import type { Settings } from '../settings/settings.ts';
import { correctAddress, idInAddress, showInAddress } from '../state/address.ts';
import { type Context, change, messageOf, readMessages, see, setValues, take, tell } from '../state/context.ts';
import { newId } from '../state/new-id.ts';
import { currentHead, findConversation, headOf, messagesOf } from '../state/selectors.ts';
import { exportText } from '../transfer/export.ts';
import { toMarkdown } from '../transfer/markdown.ts';
import { erased, isOver } from './tree/erase.ts';
import { type HeadValues, newHead, show, withValues } from './tree/operations.ts';
import type { Head, Patch } from './tree/tree.ts';

export interface ConversationActions {
  /** Lists the stored conversations and opens the one that the address names, if it exists. */
  restore(): Promise<void>;
  /** Begins a conversation with the settings of the current one, and its model if there is no default. */
  begin(): void;
  open(id: string): Promise<void>;
  /** Opens what the address names: a conversation, or a new one. */
  followAddress(): void;
  /** Deletes conversations. A notice offers to restore them. */
  remove(ids: string[]): void;
  undoRemove(ids: string[]): void;
  /** Shows another version of a message, and what was said after it. */
  showVersion(messageId: string): void;
  changeSettings(settings: Settings): void;
  /** Has a second model answer each question too; null for none. */
  compareWith(model: string | null): void;
  rename(id: string, title: string): void;
  /** Has a conversation stand before the others in the list, or no more. */
  pin(id: string, pinned: boolean): void;
  /** Returns the text of a file with one conversation: for other programs its shown branch, or all of it for an import. */
  exportOne(id: string, form: 'markdown' | 'json'): Promise<string>;
  /** Returns the text of a file with all conversations. */
  exportAll(): Promise<string>;
  /** Joins the conversations of an export file to those that are here. */
  importAll(file: Blob): Promise<void>;
}

interface Needs {
  stop: (id: string) => void;
  /** Asks for the replies that wait. */
  resume: () => Promise<void>;
  drafts: DraftActions;
  prompts: PromptActions;
}

export function conversationActions(context: Context, { stop, resume, drafts, prompts }: Needs): ConversationActions {
  const { store, database, clock, reads } = context;
  /** The conversation that was chosen last. It opens when its messages are read. */
  let chosen: string | null = null;

  const begin = () => {
    const { settings, model } = currentHead(store.get());
    const own = store.get().defaultModel === null ? model.value : null;
    const head = newHead(newId(), clock.next(), settings.value, own);
    chosen = head.id;
    store.dispatch({ kind: 'fresh', head });
    store.dispatch({ kind: 'open', id: head.id });
    settleFresh(context);
    void drafts.read();
  };
  const open = async (id: string) => {
    chosen = id;
    if (headOf(store.get(), id)) await readMessages(context, id);
    if (chosen !== id) return;
    if (!headOf(store.get(), id)) return leave(id);
    store.dispatch({ kind: 'open', id });
    showInAddress(id);
    await drafts.read();
  };
  /** Says that a conversation is gone. What was just typed for it stays. */
  const leave = (id: string) => {
    tell(context, t('chats.gone'), 'bad');
    if (store.get().currentId === id) {
      begin();
      drafts.takeOver(id);
    }
    const { chats, currentId } = store.get();
    correctAddress(chats.heads[currentId] ? currentId : null);
  };
  const undoRemove = (ids: string[]) => {
    store.dispatch({ kind: 'notice', notice: null });
    const heads = ids.flatMap((id) => headOf(store.get(), id) ?? []);
    void change(context, {
      heads: heads.map((head) => withValues(head, { deleted: false }, clock.next())),
      messages: [],
    });
    const [first, ...others] = ids;
    if (first !== undefined && others.length === 0) void open(first);
    // They may have waited for a reply.
    void resume();
  };
  const setCurrent = (values: Partial<HeadValues>) => setValues(context, store.get().currentId, values);

  return {
    restore: async () => {
      // This comes before what is typed is stored in its place.
      void drafts.read();
      const now = Date.now();
      const isForgotten = (head: Head) => isOver(head, now);
      try {
        const heads = await database.heads();
        take(context, { heads: heads.map((head) => (isForgotten(head) ? erased(head) : head)), messages: [] });
        database
          .erase(
            heads.filter(isForgotten).map(({ id }) => id),
            now,
          )
          .catch(() => {});
      } catch {
        store.dispatch({ kind: 'kept', kept: false });
      }
      store.dispatch({ kind: 'listed' });
      const id = idInAddress();
      if (id !== '') await open(id);
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
    remove: (ids) => {
      const heads = ids.flatMap((id) => headOf(store.get(), id) ?? []);
      const [first] = heads;
      if (!first) return;
      for (const { id } of heads) stop(id);
      void change(context, {
        heads: heads.map((head) => withValues(head, { deleted: true }, clock.next())),
        messages: [],
      });
      if (ids.includes(store.get().currentId)) {
        begin();
        showInAddress(null);
      }
      const text =
        heads.length === 1
          ? t('chats.deletedOne', { title: shownTitle(first.title.value) })
          : t('chats.deleted', { count: heads.length });
      const undo = () => undoRemove(heads.map(({ id }) => id));
      store.dispatch({ kind: 'notice', notice: { text, tone: 'plain', undo } });
    },
    undoRemove,
    showVersion: (messageId) => {
      const head = currentHead(store.get());
      void change(context, show(head, messagesOf(store.get(), head.id), messageId, clock.next()));
    },
    changeSettings: (settings) => setCurrent({ settings }),
    compareWith: (second) => setCurrent({ second }),
    rename: (id, title) => setValues(context, id, { title }),
    pin: (id, pinned) => setValues(context, id, { pinned }),
    exportOne: async (id, form) => {
      await readMessages(context, id);
      const state = store.get();
      const conversation = findConversation(state, id);
      if (form === 'markdown') return conversation ? toMarkdown(conversation, shownTitle(conversation.title), t) : '';
      const head = headOf(state, id);
      return exportText({ heads: head ? [head] : [], messages: Object.values(messagesOf(state, id)) });
    },
    exportAll: async () => {
      const { chats, presets, prompts } = store.get();
      const inMemory: Patch = {
        heads: Object.values(chats.heads),
        messages: Object.values(chats.messages).flatMap(Object.values),
      };
      return exportText(await database.all().catch(() => inMemory), presets, Object.values(prompts));
    },
    importAll: async (file) => {
      try {
        // Few people ever import.
        const { importText } = await import('../transfer/import.ts').catch(() => {
          throw new Problem('chats.importNotFetched');
        });
        const { heads, messages, presets, prompts: more = [] } = importText(await file.text(), Date.now());
        if (presets) changePresets(context, presets);
        see(context, { heads, messages });
        const { chats } = store.get();
        const isNew = ({ id, updatedAt }: Head) => {
          const known = chats.heads[id];
          return !known || known.deleted.value || known.updatedAt < updatedAt;
        };
        const taken = new Set(heads.filter(isNew));
        // One that was deleted here comes back.
        const back = (head: Head) => (taken.has(head) ? withValues(head, { deleted: false }, clock.next()) : head);
        for (const { id } of heads) reads.delete(id);
        await change(context, { heads: heads.map(back), messages });
        await Promise.all(heads.map(({ id }) => readMessages(context, id)));
        tell(context, importedText(taken.size, heads.length - taken.size, prompts.take(more)));
      } catch (error) {
        tell(context, messageOf(error), 'bad');
      }
    },
  };
}

/** `taken` chats are new, or newer than those here; `known` ones are not. `prompts` are new. */
function importedText(taken: number, known: number, prompts: number): string {
  const rest = known === 0 ? [] : [t('chats.known', { count: known })];
  if (taken + prompts === 0 && known > 0) return [t('chats.nothingNew'), ...rest].join(t('common.between'));
  const parts = [
    ...(taken > 0 || prompts === 0 ? [t('chats.count', { count: taken })] : []),
    ...(prompts > 0 ? [t('prompts.count', { count: prompts })] : []),
  ];
  return [t('chats.imported', { what: formatList(parts, t.tag) }), ...rest].join(t('common.between'));
}
