import type { Summary } from '../conversation/conversation.ts';
import { isErased } from '../conversation/tree/erase.ts';
import type { Head } from '../conversation/tree/tree.ts';

// A folder is a name that conversations bear. It exists as long as one of them does.

/** The list of conversations as it is shown. Each part keeps the order of the whole. */
export interface Shelves {
  /** Pinned ones that are in no folder. */
  pinned: Summary[];
  folders: { name: string; chats: Summary[] }[];
  /** All others that are in no folder. */
  loose: Summary[];
}

/** Sorts a list of conversations into their folders, which stand by name. */
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

/** The conversations in the order in which they are shown. */
export function inOrder({ pinned, folders, loose }: Shelves): Summary[] {
  return [...pinned, ...folders.flatMap(({ chats }) => chats), ...loose];
}

/** The names of all folders, sorted as people sort. */
export function folderNames(summaries: Pick<Summary, 'folder'>[]): string[] {
  const names = new Set(summaries.map(({ folder }) => folder));
  names.delete('');
  return [...names].sort(
    (one, other) => one.localeCompare(other, undefined, { numeric: true }) || (one < other ? -1 : 1),
  );
}

export function folderNameOf({ folder }: Pick<Head, 'folder'>): string {
  return folder?.value ?? '';
}

/** The ids of the conversations in a folder, with deleted ones that can still come back. */
export function idsIn(heads: Record<string, Head>, name: string): string[] {
  return Object.values(heads)
    .filter((head) => folderNameOf(head) === name && !isErased(head))
    .map(({ id }) => id);
}
