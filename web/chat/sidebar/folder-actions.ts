import { withValues } from '../conversation/tree/operations.ts';
import { summariesOf } from '../conversation/tree/view.ts';
import { t } from '../messages/language.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { type Context, change, setValues } from '../state/context-actions.ts';
import { headOf } from '../state/selectors.ts';
import { showNotice } from '../state/show-notice.ts';
import { folderNameOf, folderNames, idsIn } from './folders.ts';

/** Actions for folders. A notice offers to undo each change of several chats. */
export interface FolderActions {
  /** Begins a conversation in a folder. */
  begin(name: string): void;
  /** Moves conversations into the folder with this name; with '', out of their folders. */
  move(ids: string[], name: string): void;
  /** Renames a folder. If a folder with the new name exists, the two are merged. */
  rename(name: string, next: string): void;
  /** Removes a folder. Its conversations stay, without a folder. */
  remove(name: string): void;
}

export function folderActions(context: Context, begin: () => void): FolderActions {
  const { store, clock } = context;

  const headsOf = (ids: string[]) => ids.flatMap((id) => headOf(store.get(), id) ?? []);
  const put = (ids: string[], folderFor: (id: string) => string) =>
    void change(context, {
      heads: headsOf(ids).map((head) => withValues(head, { folder: folderFor(head.id) }, clock.next())),
      messages: [],
    });
  /** Moves conversations. An undo skips the conversations that were moved again meanwhile, in any tab. */
  const setFolder = (ids: string[], name: string, text: string) => {
    const before = new Map(headsOf(ids).map((head) => [head.id, folderNameOf(head)]));
    put(ids, () => name);
    const undo = () => {
      const same = headsOf(ids).filter((head) => folderNameOf(head) === name);
      put(
        same.map(({ id }) => id),
        (id) => before.get(id) ?? '',
      );
    };
    showNotice(store, { text, tone: 'plain', undo });
  };

  return {
    begin: (folder) => {
      begin();
      setValues(context, store.get().currentId, { folder });
    },
    move: (ids, name) => {
      const moved = headsOf(ids).filter((head) => folderNameOf(head) !== name);
      const [first] = moved;
      if (!first) return;
      const values = { count: moved.length, title: shownTitle(first.title.value), name };
      const [one, many] =
        name === '' ? (['folders.tookOne', 'folders.took'] as const) : (['folders.movedOne', 'folders.moved'] as const);
      const text = t(moved.length === 1 ? one : many, values);
      setFolder(
        moved.map(({ id }) => id),
        name,
        text,
      );
    },
    rename: (name, next) => {
      const { chats } = store.get();
      const isKnown = folderNames(summariesOf(chats)).includes(next);
      const text = t(isKnown ? 'folders.joined' : 'folders.renamed', { name, next });
      setFolder(idsIn(chats.heads, name), next, text);
    },
    remove: (name) => setFolder(idsIn(store.get().chats.heads, name), '', t('folders.removed', { name })),
  };
}
