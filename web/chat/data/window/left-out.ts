import { wayOf } from '../tree/branches.ts';
import type { Head, Messages } from '../tree/tree.ts';

/** Says that a message and all before it are left out of requests. It holds for every branch that goes on from there. */
export interface Cut {
  /** What the model gets in their place; null if it gets nothing. */
  summary: string | null;
}

/** The beginning of the shown branch that the model does not get. */
export interface LeftOut extends Cut {
  /** The message that has the cut. */
  messageId: string;
  /** How many of the shown turns are left out, counted from the first. */
  turns: number;
}

/** Finds what is left out of the shown branch. The last cut on it counts. */
export function leftOutOf(head: Head, messages: Messages): LeftOut | null {
  const way = wayOf(head, messages);
  const last = way.findLastIndex(({ cut }) => cut?.value);
  const message = way[last];
  if (!message?.cut?.value) return null;
  const turns = way.slice(0, last + 1).filter(({ deleted }) => !deleted.value).length;
  return { ...message.cut.value, messageId: message.id, turns };
}
