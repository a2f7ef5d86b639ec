import type { ReplyTurn } from '../conversation.ts';
import { lastAfter, shownMessages } from './branches.ts';
import { newMessage, withValues } from './operations.ts';
import type { Stamp } from './stamp.ts';
import type { Head, Message, Messages, Patch } from './tree.ts';

/** Adds a second reply to the question of another one. Both are shown beside each other until a person goes on with one. */
export function sayBeside(head: Head, messages: Messages, first: string, turn: ReplyTurn, at: Stamp): Patch {
  return {
    heads: [withValues(head, { compared: [first, turn.id] }, at)],
    messages: [newMessage(head.id, messages[first]?.parent ?? null, turn, at)],
  };
}

/** Goes on with one of two compared replies. The other one stays as another version. */
export function chooseCompared(head: Head, messages: Messages, id: string, at: Stamp): Patch {
  return { heads: [withValues(head, { compared: [], shown: lastAfter(messages, id) }, at)], messages: [] };
}

/** The two replies that stand beside each other: nothing was said after them, and both are there. */
export function comparedMessages(head: Head, messages: Messages): Message[] {
  const ids = head.compared?.value ?? [];
  const both = ids.flatMap((id) => messages[id] ?? []).filter(({ deleted }) => !deleted.value);
  const last = ids.length === 2 && both.length === 2 ? shownMessages(head, messages).at(-1)?.id : undefined;
  return both.some(({ id }) => id === last) ? both : [];
}
