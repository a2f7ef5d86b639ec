import { compareStamps, type Field, later, type Stamp } from './stamp.ts';
import type { Chats, Head, Message, Patch } from './tree.ts';

/**
 * Joins a change to what there is. The order of changes does not matter, and neither does it if one comes twice, so two
 * tabs that have seen the same changes have the same conversations. No message is ever dropped.
 */
export function merge({ heads, messages }: Chats, patch: Patch): Chats {
  const nextHeads = { ...heads };
  for (const head of patch.heads) nextHeads[head.id] = mergeHead(nextHeads[head.id], head);
  const nextMessages = { ...messages };
  const copied = new Set<string>();
  for (const message of patch.messages) {
    const { conversation, id } = message;
    if (!copied.has(conversation)) nextMessages[conversation] = { ...nextMessages[conversation] };
    copied.add(conversation);
    const own = nextMessages[conversation] ?? {};
    own[id] = mergeMessage(own[id], message);
  }
  return { heads: nextHeads, messages: nextMessages };
}

export function mergeHead(known: Head | undefined, head: Head): Head {
  if (!known) return head;
  return {
    ...mergeFields(known, head),
    createdAt: Math.min(known.createdAt, head.createdAt),
    updatedAt: Math.max(known.updatedAt, head.updatedAt),
  };
}

export function mergeMessage(known: Message | undefined, message: Message): Message {
  if (!known) return message;
  return { ...mergeFields(known, message), made: earlier(known.made, message.made) };
}

/** The later value of each field. Everything that is no field is taken from `known`. */
function mergeFields<T extends object>(known: T, other: T): T {
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

function isField(value: unknown): value is Field<unknown> {
  return typeof value === 'object' && value !== null && 'at' in value && 'value' in value;
}

function earlier(one: Stamp, other: Stamp): Stamp {
  return compareStamps(one, other) <= 0 ? one : other;
}
