import { erased, isErased } from './erase.ts';
import { compareStamps, type Field, later, type Stamp } from './stamp.ts';
import type { Chats, Head, Message, Messages, Patch } from './tree.ts';

/**
 * Joins a change to what there is. The order of changes does not matter, and neither does it if one comes twice, so two
 * tabs that have seen the same changes have the same conversations. No message is ever dropped. What has not changed is
 * the same object as before, so that it need not be drawn again.
 */
export function merge(chats: Chats, patch: Patch): Chats {
  const heads = withAll(chats.heads, patch.heads, mergeHead);
  const messages = withAllMessages(chats.messages, patch.messages);
  return heads === chats.heads && messages === chats.messages ? chats : { heads, messages };
}

/** One that was erased has no words, whatever other tabs still know of it, until it is brought back. */
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

export function mergeMessage(known: Message | undefined, message: Message): Message {
  if (!known) return message;
  return unlessSame(known, { ...mergeFields(known, message), made: earlier(known.made, message.made) });
}

function withAllMessages(known: Chats['messages'], messages: Message[]): Chats['messages'] {
  const byConversation = new Map<string, Message[]>();
  for (const message of messages) {
    const own = byConversation.get(message.conversation) ?? [];
    own.push(message);
    byConversation.set(message.conversation, own);
  }
  let next = known;
  for (const [id, own] of byConversation) {
    const before: Messages | undefined = known[id];
    const after = withAll(before ?? {}, own, mergeMessage);
    if (after !== before) next = { ...next, [id]: after };
  }
  return next;
}

/** Joins each part to the one that has its id. */
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

/** Returns what is known if the other one has the very same values. */
function unlessSame<T extends object>(known: T, other: T): T {
  const values = new Map<string, unknown>(Object.entries(known));
  const all = Object.entries(other);
  return all.length === values.size && all.every(([name, value]) => values.get(name) === value) ? known : other;
}

/** The later value of each field. Everything that is no field is taken from `known`. */
export function mergeFields<T extends object>(known: T, other: T): T {
  const both = { ...other, ...known } as Record<string, unknown>;
  for (const [name, value] of Object.entries(other)) {
    const mine = both[name];
    if (isField(mine) && isField(value)) both[name] = later(mine, value);
  }
  return both as T;
}

/** The latest stamp of a change; null if it is empty. */
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
