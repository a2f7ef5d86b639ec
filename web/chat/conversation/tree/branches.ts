import { compareStamps } from './stamp.ts';
import type { Head, MessageNode, MessageNodes } from './tree.ts';

/**
 * Returns the messages of the shown branch, from the first to the last. Deleted messages are left out; the messages
 * after them stay.
 */
export function shownMessages(head: Head, messages: MessageNodes): MessageNode[] {
  return wayOf(head, messages).filter(({ deleted }) => !deleted.value);
}

/** Returns the messages of the shown branch with its deleted messages. */
export function wayOf({ shown }: Head, messages: MessageNodes): MessageNode[] {
  const way: MessageNode[] = [];
  // An imported file may contain a cycle.
  const seen = new Set<string>();
  let message = shown.value === null ? undefined : (messages[shown.value] ?? newest(messages));
  while (message && !seen.has(message.id)) {
    seen.add(message.id);
    way.push(message);
    message = message.parent === null ? undefined : messages[message.parent];
  }
  return way.reverse();
}

/** Returns the ids of all versions of this message, itself included, in the order in which they were made. */
export function versionsOf(messages: MessageNodes, id: string): string[] {
  return childrenOf(messages, parentOf(messages, id)).map((message) => message.id);
}

/** Returns the last message of the branch that continues from this message. At a fork, the newest branch counts. */
export function lastAfter(messages: MessageNodes, id: string): string {
  let last = id;
  for (let next = childrenOf(messages, last).at(-1); next; next = childrenOf(messages, last).at(-1)) last = next.id;
  return last;
}

/**
 * Returns the messages that follow a message, or that begin the conversation. A deleted message is replaced by the
 * messages after it.
 */
function childrenOf(messages: MessageNodes, parent: string | null): MessageNode[] {
  const children = byParent(messages).get(parent) ?? [];
  return children
    .flatMap((child) => (child.deleted.value ? childrenOf(messages, child.id) : [child]))
    .sort((one, other) => compareStamps(one.made, other.made));
}

/** Returns the nearest message before this one that is not deleted. */
function parentOf(messages: MessageNodes, id: string): string | null {
  const parent = messages[id]?.parent ?? null;
  if (parent === null) return null;
  return messages[parent]?.deleted.value ? parentOf(messages, parent) : parent;
}

const indexes = new WeakMap<MessageNodes, Map<string | null, MessageNode[]>>();

/** Returns the messages grouped by their parents. The result is cached for each version of a conversation. */
function byParent(messages: MessageNodes): Map<string | null, MessageNode[]> {
  const known = indexes.get(messages);
  if (known) return known;
  const index = new Map<string | null, MessageNode[]>();
  for (const message of Object.values(messages)) {
    index.set(message.parent, [...(index.get(message.parent) ?? []), message]);
  }
  indexes.set(messages, index);
  return index;
}

function newest(messages: MessageNodes): MessageNode | undefined {
  return Object.values(messages).reduce<MessageNode | undefined>(
    (last, message) => (last && compareStamps(last.made, message.made) > 0 ? last : message),
    undefined,
  );
}
