import { leftOutOf } from '../../window/left-out.ts';
import type { Conversation, Summary, Turn } from '../conversation.ts';
import { shownMessages } from './branches.ts';
import { comparedMessages } from './compared.ts';
import type { Chats, Head, Messages } from './tree.ts';

/**
 * The branch of a conversation that is shown, as a list of turns. A reply that nobody writes any more counts as
 * stopped; `growing` holds the ids of those that still grow.
 */
export function conversationOf(head: Head, messages: Messages, growing: ReadonlySet<string>): Conversation {
  const { id, createdAt, updatedAt, title, model, settings } = head;
  const turns = shownMessages(head, messages).map(({ turn }) => settled(turn.value, growing));
  const leftOut = leftOutOf(head, messages);
  const values = { title: title.value, model: model.value, settings: settings.value };
  const compared = comparedMessages(head, messages)
    .map(({ turn }) => settled(turn.value, growing))
    .filter((turn) => turn.role === 'assistant');
  return {
    id,
    createdAt,
    updatedAt,
    ...values,
    turns,
    ...(leftOut && { leftOut }),
    ...(compared.length === 2 && { compared }),
  };
}

/** The list of conversations: pinned ones, then the others, and the newest of each first. Deleted ones and those in which nothing was said are left out. */
export function summariesOf({ heads }: Chats): Summary[] {
  return Object.values(heads)
    .filter(({ deleted }) => !deleted.value)
    .map(({ id, title, updatedAt, pinned, folder }) => ({
      id,
      title: title.value,
      updatedAt,
      pinned: pinned?.value ?? false,
      folder: folder?.value ?? '',
    }))
    .sort(
      (one, other) =>
        Number(other.pinned) - Number(one.pinned) || other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : 1),
    );
}

function settled(turn: Turn, growing: ReadonlySet<string>): Turn {
  const left = turn.role === 'assistant' && turn.end === null && !growing.has(turn.id);
  return left ? { ...turn, end: { kind: 'stopped' } } : turn;
}
