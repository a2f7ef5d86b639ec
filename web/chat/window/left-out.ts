import { wayOf } from '../conversation/tree/branches.ts';
import type { Head, MessageNodes } from '../conversation/tree/tree.ts';
import type { LeftOut } from './cut.ts';

/** Returns the part of the shown branch that is left out, by the last cut on the branch; null if there is no cut. */
export function leftOutOf(head: Head, messages: MessageNodes): LeftOut | null {
  const way = wayOf(head, messages);
  const last = way.findLastIndex(({ cut }) => cut?.value);
  const message = way[last];
  if (!message?.cut?.value) return null;
  const turns = way.slice(0, last + 1).filter(({ deleted }) => !deleted.value).length;
  return { ...message.cut.value, messageId: message.id, turns };
}
