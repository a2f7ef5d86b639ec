import type { ReplyTurn } from '../conversation.ts';
import { lastAfter, shownMessages } from './branches.ts';
import { newMessage, withValues } from './operations.ts';
import type { Stamp } from './stamp.ts';
import type { Head, MessageNode, MessageNodes, Patch } from './tree.ts';

/**
 * Adds a second reply to the question that `first` answers. Both replies are shown side by side until a person chooses
 * one.
 */
export function sayBeside(head: Head, messages: MessageNodes, first: string, turn: ReplyTurn, at: Stamp): Patch {
  return {
    heads: [withValues(head, { compared: [first, turn.id] }, at)],
    messages: [newMessage(head.id, messages[first]?.parent ?? null, turn, at)],
  };
}

/** Chooses one of two compared replies. The other reply stays as another version. */
export function chooseCompared(head: Head, messages: MessageNodes, id: string, at: Stamp): Patch {
  return { heads: [withValues(head, { compared: [], shown: lastAfter(messages, id) }, at)], messages: [] };
}

/** Returns the two replies that are compared; none if a turn follows them or one of them is missing. */
export function comparedMessages(head: Head, messages: MessageNodes): MessageNode[] {
  const ids = head.compared?.value ?? [];
  const both = ids.flatMap((id) => messages[id] ?? []).filter(({ deleted }) => !deleted.value);
  const last = ids.length === 2 && both.length === 2 ? shownMessages(head, messages).at(-1)?.id : undefined;
  return both.some(({ id }) => id === last) ? both : [];
}
