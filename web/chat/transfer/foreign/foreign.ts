import { newReply, type Turn, UNTITLED } from '../../conversation/conversation.ts';
import { addTurn, newHead, withValues } from '../../conversation/tree/operations.ts';
import type { Stamp } from '../../conversation/tree/stamp.ts';
import type { Patch } from '../../conversation/tree/tree.ts';

/** A chat of another program, with the parts that can be imported. Times are Unix times in ms. */
export interface ForeignChat {
  id: string;
  title: string;
  system: string;
  createdAt: number;
  updatedAt: number;
  messages: ForeignMessage[];
  /** The id of the last message of the branch that is shown; null if it is not known. */
  shown: string | null;
}

export interface ForeignMessage {
  id: string;
  /** The id of the message before; null for the first one. */
  parent: string | null;
  /** Null if it is not known. */
  time: number | null;
  /** The content; null for a message that is left out. The messages after it then follow the message before it. */
  said: { role: 'user'; text: string; images: string[] } | { role: 'assistant'; text: string; model: string } | null;
  /** The reasoning. That of a message that is left out is added to the next reply. */
  reasoning: string;
}

/** Converts a chat to a tree of messages. Returns null if it has no messages. */
export function fromForeign(chat: ForeignChat): Patch | null {
  const all = reachable(chat.messages);
  const said = all.filter((message) => message.said !== null);
  if (said.length === 0) return null;
  const byId = new Map(all.map((message) => [message.id, message]));
  const at = (time: number | null): Stamp => ({ time: time ?? chat.createdAt, tab: '' });
  const begun = newHead(chat.id, at(chat.createdAt));
  const messages = said.flatMap((message) => {
    const { before, reasoning } = lookBack(message, byId);
    return addTurn(begun, before?.id ?? null, toTurn(message, reasoning), at(message.time)).messages;
  });
  const end = byId.get(chat.shown ?? '');
  const shown = end?.said ? end : end && lookBack(end, byId).before;
  const values = {
    title: chat.title.trim() || UNTITLED,
    settings: { ...begun.settings.value, system: chat.system },
    shown: (shown ?? said.at(-1))?.id ?? null,
  };
  const head = withValues(begun, values, at(chat.updatedAt));
  return { heads: [{ ...head, updatedAt: chat.updatedAt }], messages };
}

/** Returns the messages, each after its parent. Messages in a cycle are left out. */
function reachable(messages: ForeignMessage[]): ForeignMessage[] {
  const ids = new Set(messages.map(({ id }) => id));
  const followers = new Map<string, ForeignMessage[]>();
  const found: ForeignMessage[] = [];
  for (const message of messages) {
    const { parent } = message;
    if (parent === null || !ids.has(parent)) found.push(message);
    else followers.set(parent, [...(followers.get(parent) ?? []), message]);
  }
  // The list grows while it is walked.
  for (const { id } of found) found.push(...(followers.get(id) ?? []));
  return found;
}

/** Returns the nearest message before this one that is not left out, and the reasoning of the messages between. */
function lookBack(message: ForeignMessage, byId: ReadonlyMap<string, ForeignMessage>) {
  const thoughts = [message.reasoning];
  let before = byId.get(message.parent ?? '');
  while (before && before.said === null) {
    thoughts.unshift(before.reasoning);
    before = byId.get(before.parent ?? '');
  }
  return { before, reasoning: thoughts.filter((thought) => thought !== '').join('\n\n') };
}

function toTurn({ id, said }: ForeignMessage, reasoning: string): Turn {
  if (said?.role === 'assistant') {
    return { ...newReply(said.model), id, text: said.text, reasoning, end: { kind: 'finished', reason: 'stop' } };
  }
  return { role: 'user', id, text: said?.text ?? '', images: said?.images ?? [] };
}
