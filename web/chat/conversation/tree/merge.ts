import { erased, isErased } from './erase.ts';
import { compareStamps, type Field, later, type Stamp } from './stamp.ts';
import type { Chats, Head, MessageNode, MessageNodes, Patch } from './tree.ts';

/**
 * Merges a patch into the conversations. Patches may come in any order and more than once: two tabs that have merged
 * the same patches have the same conversations. No message is ever dropped. A part that has not changed stays the same
 * object, so that no view draws it again.
 */
export function merge(chats: Chats, patch: Patch): Chats {
  const heads = withAll(chats.heads, patch.heads, mergeHead);
  const messages = withAllMessages(chats.messages, patch.messages);
  return heads === chats.heads && messages === chats.messages ? chats : { heads, messages };
}

/**
 * Merges two states of a head. An erased conversation stays without content, even if another tab still has it, until it
 * is restored.
 */
export function mergeHead(known: Head | undefined, head: Head): Head {
  if (!known) return head;
  const merged = {
    ...mergeFields(known, head),
    createdAt: Math.min(known.createdAt, head.createdAt),
    updatedAt: Math.max(known.updatedAt, head.updatedAt),
  };
  const isGone = merged.deleted.value && (isErased(known) || isErased(head));
  return unlessSame(known, isGone ? erased(merged) : merged);
}

/** Merges two states of a message. */
export function mergeMessage(known: MessageNode | undefined, message: MessageNode): MessageNode {
  if (!known) return message;
  return unlessSame(known, { ...mergeFields(known, message), made: earlier(known.made, message.made) });
}

function withAllMessages(known: Chats['messages'], messages: MessageNode[]): Chats['messages'] {
  const byConversation = new Map<string, MessageNode[]>();
  for (const message of messages) {
    const own = byConversation.get(message.conversation) ?? [];
    own.push(message);
    byConversation.set(message.conversation, own);
  }
  let next = known;
  for (const [id, own] of byConversation) {
    const before: MessageNodes | undefined = known[id];
    const after = withAll(before ?? {}, own, mergeMessage);
    if (after !== before) next = { ...next, [id]: after };
  }
  return next;
}

/** Merges each part with the part that has the same id. */
function withAll<T extends { id: string }>(
  known: Record<string, T>,
  parts: T[],
  join: (known: T | undefined, part: T) => T,
): Record<string, T> {
  let next = known;
  for (const part of parts) {
    const joined = join(next[part.id], part);
    if (joined === next[part.id]) continue;
    if (next === known) next = { ...known };
    next[part.id] = joined;
  }
  return next;
}

/** Returns `known` if `other` has the same values. */
function unlessSame<T extends object>(known: T, other: T): T {
  const values = new Map<string, unknown>(Object.entries(known));
  const all = Object.entries(other);
  return all.length === values.size && all.every(([name, value]) => values.get(name) === value) ? known : other;
}

/** Merges two objects: the later value of each field. Properties that are not fields come from `known`. */
export function mergeFields<T extends object>(known: T, other: T): T {
  const both = { ...other, ...known } as Record<string, unknown>;
  for (const [name, value] of Object.entries(other)) {
    const mine = both[name];
    if (isField(mine) && isField(value)) both[name] = later(mine, value);
  }
  return both as T;
}

/** Returns the latest stamp in a patch; null if the patch is empty. */
export function latestStamp({ heads, messages }: Patch): Stamp | null {
  const stamps = [...heads, ...messages].flatMap((part) => Object.values(part).filter(isField));
  return stamps.reduce<Stamp | null>((last, { at }) => (last && compareStamps(last, at) >= 0 ? last : at), null);
}

export function isField(value: unknown): value is Field<unknown> {
  return typeof value === 'object' && value !== null && 'at' in value && 'value' in value;
}

function earlier(one: Stamp, other: Stamp): Stamp {
  return compareStamps(one, other) <= 0 ? one : other;
}
