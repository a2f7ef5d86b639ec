import type { Summary } from '../conversation/conversation.ts';
import { isErased } from '../conversation/tree/erase.ts';
import type { Head } from '../conversation/tree/tree.ts';

// A folder is a name in the heads of conversations. It exists as long as one conversation has it.

/** The list of conversations, grouped for display. Each group keeps the order of the list. */
export interface Shelves {
  /** The pinned conversations that are in no folder. */
  pinned: Summary[];
  folders: { name: string; chats: Summary[] }[];
  /** All other conversations that are in no folder. */
  loose: Summary[];
}

/** Groups a list of conversations by their folders, which are sorted by name. */
export function shelvesOf(summaries: Summary[]): Shelves {
  const loose = summaries.filter(({ folder }) => folder === '');
  return {
    pinned: loose.filter(({ pinned }) => pinned),
    folders: folderNames(summaries).map((name) => ({
      name,
      chats: summaries.filter(({ folder }) => folder === name),
    })),
    loose: loose.filter(({ pinned }) => !pinned),
  };
}

/** Returns the conversations in the order in which they are shown. */
export function inOrder({ pinned, folders, loose }: Shelves): Summary[] {
  return [...pinned, ...folders.flatMap(({ chats }) => chats), ...loose];
}

/** Returns the names of all folders, sorted in natural order. */
export function folderNames(summaries: Pick<Summary, 'folder'>[]): string[] {
  const names = new Set(summaries.map(({ folder }) => folder));
  names.delete('');
  return [...names].sort(
    (one, other) => one.localeCompare(other, undefined, { numeric: true }) || (one < other ? -1 : 1),
  );
}

/** Returns the name of a conversation's folder; '' for none. */
export function folderNameOf({ folder }: Pick<Head, 'folder'>): string {
  return folder?.value ?? '';
}

/** Returns the ids of the conversations in a folder, with deleted ones that can be restored. */
export function idsIn(heads: Record<string, Head>, name: string): string[] {
  return Object.values(heads)
    .filter((head) => folderNameOf(head) === name && !isErased(head))
    .map(({ id }) => id);
}
