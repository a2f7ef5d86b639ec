import { NO_SETTINGS } from '../../settings/settings.ts';
import { NEVER } from './stamp.ts';
import type { Head } from './tree.ts';

/** The time for which a deleted conversation can be restored, in ms. After that its content is erased. */
const RESTORE_MS = 24 * 60 * 60 * 1000;

/**
 * True if a conversation or a prompt was deleted so long ago that it can't be restored any more. `now` is a Unix time
 * in ms.
 */
export function isOver({ deleted }: Pick<Head, 'deleted'>, now: number): boolean {
  return deleted.value && deleted.at.time < now - RESTORE_MS;
}

/** The values of an erased conversation. Their stamp is earlier than every other stamp. */
const NOTHING: Pick<Head, 'title' | 'model' | 'settings' | 'shown'> = {
  title: { value: '', at: NEVER },
  model: { value: null, at: NEVER },
  settings: { value: NO_SETTINGS, at: NEVER },
  shown: { value: null, at: NEVER },
};

/**
 * Returns the head of an erased conversation: it has no content, only the fact that it was deleted. A later change
 * restores the conversation.
 */
export function erased(head: Head): Head {
  const { tools: _, folder: __, ...rest } = head;
  return { ...rest, ...NOTHING };
}

/** True if the content of a conversation is erased. Every other conversation has a title. */
export function isErased({ deleted, title }: Head): boolean {
  return deleted.value && title.value === '';
}
