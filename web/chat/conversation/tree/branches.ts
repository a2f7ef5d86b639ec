import { compareStamps } from './stamp.ts';
import type { Head, Message, Messages } from './tree.ts';

/**
 * The messages of the branch that is shown, from the first to the last. Deleted ones are left out; what was said after
 * them stays.
 */
export function shownMessages(head: Head, messages: Messages): Message[] {
  return wayOf(head, messages).filter(({ deleted }) => !deleted.value);
}

/** The messages of the branch that is shown, deleted ones as well. */
export function wayOf({ shown }: Head, messages: Messages): Message[] {
  const way: Message[] = [];
  // A file of another origin may hold a circle.
  const seen = new Set<string>();
  let message = shown.value === null ? undefined : (messages[shown.value] ?? newest(messages));
  while (message && !seen.has(message.id)) {
    seen.add(message.id);
    way.push(message);
    message = message.parent === null ? undefined : messages[message.parent];
  }
  return way.reverse();
}

/** The ids of this message and of those that could stand in its place, in the order in which they were made. */
export function versionsOf(messages: Messages, id: string): string[] {
  return childrenOf(messages, parentOf(messages, id)).map((message) => message.id);
}

/** The last message of the branch that goes on from this one. Where it forks, the newest branch is taken. */
export function lastAfter(messages: Messages, id: string): string {
  let last = id;
  for (let next = childrenOf(messages, last).at(-1); next; next = childrenOf(messages, last).at(-1)) last = next.id;
  return last;
}

/** The messages that follow a message, or that begin a conversation. In place of a deleted one stand those after it. */
function childrenOf(messages: Messages, parent: string | null): Message[] {
  const children = byParent(messages).get(parent) ?? [];
  return children
    .flatMap((child) => (child.deleted.value ? childrenOf(messages, child.id) : [child]))
    .sort((one, other) => compareStamps(one.made, other.made));
}

/** The nearest message before this one that is not deleted. */
function parentOf(messages: Messages, id: string): string | null {
  const parent = messages[id]?.parent ?? null;
  if (parent === null) return null;
  return messages[parent]?.deleted.value ? parentOf(messages, parent) : parent;
}

const indexes = new WeakMap<Messages, Map<string | null, Message[]>>();

/** The messages by their parents. It is made once for each state of a conversation. */
function byParent(messages: Messages): Map<string | null, Message[]> {
  const known = indexes.get(messages);
  if (known) return known;
  const index = new Map<string | null, Message[]>();
  for (const message of Object.values(messages)) {
    index.set(message.parent, [...(index.get(message.parent) ?? []), message]);
  }
  indexes.set(messages, index);
  return index;
}

function newest(messages: Messages): Message | undefined {
  return Object.values(messages).reduce<Message | undefined>(
    (last, message) => (last && compareStamps(last.made, message.made) > 0 ? last : message),
    undefined,
  );
}
