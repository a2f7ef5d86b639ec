import { NO_SETTINGS } from '../../settings/settings.ts';
import { NEVER } from './stamp.ts';
import type { Head } from './tree.ts';

/** A deleted conversation can be restored for so long, in ms. After that its words are removed for good. */
const RESTORE_MS = 24 * 60 * 60 * 1000;

/** True if a conversation, or a prompt, was deleted so long ago that its words are to be removed. `now` is a Unix time in ms. */
export function isOver({ deleted }: Pick<Head, 'deleted'>, now: number): boolean {
  return deleted.value && deleted.at.time < now - RESTORE_MS;
}

/** The values of an erased conversation. Any that was set is later. */
const NOTHING: Pick<Head, 'title' | 'model' | 'settings' | 'shown'> = {
  title: { value: '', at: NEVER },
  model: { value: null, at: NEVER },
  settings: { value: NO_SETTINGS, at: NEVER },
  shown: { value: null, at: NEVER },
};

/** What stays of a conversation whose words are removed: that it is deleted. A later change still brings it back. */
export function erased(head: Head): Head {
  const { tools: _, folder: __, ...rest } = head;
  return { ...rest, ...NOTHING };
}

/** True if the words of a conversation are removed. All others have a title. */
export function isErased({ deleted, title }: Head): boolean {
  return deleted.value && title.value === '';
}
