import type { DraftActions } from '../composer/actions.ts';
import { t } from '../messages/language.ts';
import { shownTitle } from '../messages/shown-title.ts';
import type { Settings } from '../settings/settings.ts';
import { type Context, change, setValues } from '../state/context-actions.ts';
import { currentHead, headOf, messagesOf } from '../state/selectors.ts';
import { showNotice } from '../state/show-notice.ts';
import { type OpenActions, openActions } from './open-actions.ts';
import { type HeadValues, showBranch, withValues } from './tree/operations.ts';
import type { Head } from './tree/tree.ts';

export interface ConversationActions extends OpenActions {
  /** Deletes conversations. A notice offers to restore them. */
  remove(ids: string[]): void;
  undoRemove(ids: string[]): void;
  /** Shows another version of a message, and the messages that follow that version. */
  showVersion(messageId: string): void;
  changeSettings(settings: Settings): void;
  /** Sets a second model, which answers each question too; null for none. */
  compareWith(model: string | null): void;
  rename(id: string, title: string): void;
  /** Puts a conversation at the top of the list, or back to its place by date. */
  pin(id: string, pinned: boolean): void;
}

interface Needs {
  stop: (id: string) => void;
  /** Asks for the replies that wait. */
  resume: () => Promise<void>;
  drafts: DraftActions;
}

export function conversationActions(context: Context, { stop, resume, drafts }: Needs): ConversationActions {
  const { store, clock } = context;
  const opening = openActions(context, drafts);

  const headsOf = (ids: string[]) => ids.flatMap((id) => headOf(store.get(), id) ?? []);
  const setDeleted = (heads: Head[], deleted: boolean) =>
    void change(context, { heads: heads.map((head) => withValues(head, { deleted }, clock.next())), messages: [] });
  const setCurrent = (values: Partial<HeadValues>) => setValues(context, store.get().currentId, values);

  const undoRemove = (ids: string[]) => {
    store.dispatch({ kind: 'notice', notice: null });
    setDeleted(headsOf(ids), false);
    const [first, ...others] = ids;
    if (first !== undefined && others.length === 0) void opening.open(first);
    // A restored conversation may wait for a reply.
    void resume();
  };

  return {
    ...opening,
    remove: (ids) => {
      const heads = headsOf(ids);
      if (heads.length === 0) return;
      for (const { id } of heads) stop(id);
      setDeleted(heads, true);
      if (ids.includes(store.get().currentId)) opening.begin();
      const undo = () => undoRemove(heads.map(({ id }) => id));
      showNotice(store, { text: deletedText(heads), tone: 'plain', undo });
    },
    undoRemove,
    showVersion: (messageId) => {
      const head = currentHead(store.get());
      void change(context, showBranch(head, messagesOf(store.get(), head.id), messageId, clock.next()));
    },
    changeSettings: (settings) => setCurrent({ settings }),
    compareWith: (second) => setCurrent({ second }),
    rename: (id, title) => setValues(context, id, { title }),
    pin: (id, pinned) => setValues(context, id, { pinned }),
  };
}

function deletedText([first, ...others]: Head[]): string {
  return first && others.length === 0
    ? t('chats.deletedOne', { title: shownTitle(first.title.value) })
    : t('chats.deleted', { count: others.length + 1 });
}
