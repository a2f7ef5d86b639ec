import { leftOutOf } from '../../window/left-out.ts';
import type { ShownConversation, Summary, Turn } from '../conversation.ts';
import { shownMessages } from './branches.ts';
import { comparedMessages } from './compared.ts';
import type { Chats, Head, MessageNodes } from './tree.ts';

/**
 * Returns the branch of a conversation that is shown, as a list of turns. `growing` has the ids of the replies that a
 * tab still writes. Every other unfinished reply counts as stopped.
 */
export function conversationOf(head: Head, messages: MessageNodes, growing: ReadonlySet<string>): ShownConversation {
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

/**
 * Returns the conversations for the list: first the pinned ones, then the rest, each group by its latest change.
 * Deleted conversations are left out.
 */
export function summariesOf({ heads }: Pick<Chats, 'heads'>): Summary[] {
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
