import { NO_SETTINGS, type Settings } from '../../settings/settings.ts';
import type { ChatTools } from '../../tools/chat-tools.ts';
import type { Cut } from '../../window/cut.ts';
import { type ReplyTurn, type ShownConversation, type Turn, titleOf, UNTITLED } from '../conversation.ts';
import { lastAfter, shownMessages, versionsOf } from './branches.ts';
import type { Stamp } from './stamp.ts';
import type { Head, MessageNode, MessageNodes, Patch } from './tree.ts';

// Changes of conversations. Each function returns a patch, which `merge` applies. Each call needs a new stamp.

/** The fields of a conversation that a person sets directly. */
export interface HeadValues {
  title: string;
  model: string | null;
  settings: Settings;
  deleted: boolean;
  shown: string | null;
  pinned: boolean;
  folder: string;
  tools: ChatTools;
  second: string | null;
  compared: string[];
}

/** Returns a conversation that has not begun. */
export function newHead(id: string, at: Stamp, settings: Settings = NO_SETTINGS, model: string | null = null): Head {
  return {
    id,
    createdAt: at.time,
    updatedAt: at.time,
    title: { value: UNTITLED, at },
    model: { value: model, at },
    settings: { value: settings, at },
    deleted: { value: false, at },
    shown: { value: null, at },
  };
}

/** Returns a head with some fields set, for example its title or that it is deleted. */
export function withValues(head: Head, values: Partial<HeadValues>, at: Stamp): Head {
  const fields = Object.entries(values).map(([name, value]) => [name, { value, at }]);
  return { ...head, ...Object.fromEntries(fields) };
}

/**
 * Adds a turn after the message `parent` and shows it; with null, the turn begins the conversation. The first question
 * becomes the title. A deleted conversation is restored by a new turn.
 */
export function addTurn(head: Head, parent: string | null, turn: Turn, at: Stamp): Patch {
  const title = head.title.value === UNTITLED && turn.role === 'user' ? { title: titleOf(turn) } : {};
  const changed = withValues(head, { shown: turn.id, deleted: false, ...title }, at);
  return { heads: [{ ...changed, updatedAt: at.time }], messages: [newMessage(head.id, parent, turn, at)] };
}

/** Adds another version of a message: an edited question or another reply. The old message stays. */
export function sayInstead(head: Head, messages: MessageNodes, id: string, turn: Turn, at: Stamp): Patch {
  return addTurn(head, messages[id]?.parent ?? null, turn, at);
}

/**
 * Adds another version of a reply. The old reply stays, unless it failed before its first token: then it is deleted.
 */
export function answerAgain(head: Head, messages: MessageNodes, id: string, turn: ReplyTurn, next: () => Stamp): Patch {
  const patch = sayInstead(head, messages, id, turn, next());
  const old = messages[id];
  if (!old || hasWords(old.turn.value)) return patch;
  return { ...patch, messages: [...patch.messages, ...setDeleted(old, true, next()).messages] };
}

function hasWords(turn: Turn): boolean {
  return turn.role !== 'assistant' || turn.text !== '' || turn.reasoning !== '' || turn.calls.length > 0;
}

/** Sets the turn of a message, for example of a reply that has grown. */
export function grow(message: MessageNode, turn: Turn, at: Stamp): Patch {
  return { heads: [], messages: [{ ...message, turn: { value: turn, at } }] };
}

/** Deletes or restores one message. The messages after it stay. */
export function setDeleted(message: MessageNode, deleted: boolean, at: Stamp): Patch {
  return { heads: [], messages: [{ ...message, deleted: { value: deleted, at } }] };
}

/**
 * Deletes a message, and with a reply the results of its calls. The messages after it stay. If it was the last message
 * shown, another version of it is shown, if one exists.
 */
export function deleteMessage(head: Head, messages: MessageNodes, id: string, next: () => Stamp): Patch {
  const message = messages[id];
  if (!message) return { heads: [], messages: [] };
  const gone = [message, ...resultsOf(head, messages, id)];
  const others = versionsOf(messages, id);
  const at = others.indexOf(id);
  const other = others[at - 1] ?? others[at + 1];
  const wasLast = shownMessages(head, messages).at(-1)?.id === gone.at(-1)?.id;
  return {
    heads: wasLast && other !== undefined ? showBranch(head, messages, other, next()).heads : [],
    messages: gone.flatMap((one) => setDeleted(one, true, next()).messages),
  };
}

/** Returns the results that follow a reply in the shown branch. */
function resultsOf(head: Head, messages: MessageNodes, id: string): MessageNode[] {
  const shown = shownMessages(head, messages);
  const index = shown.findIndex((one) => one.id === id);
  const after = index < 0 ? [] : shown.slice(index + 1);
  const end = after.findIndex(({ turn }) => turn.value.role !== 'tool');
  return after.slice(0, end < 0 ? undefined : end);
}

/** Leaves this message and all messages before it out of requests; with null, requests contain them again. */
export function setCut(message: MessageNode, cut: Cut | null, at: Stamp): Patch {
  return { heads: [], messages: [{ ...message, cut: { value: cut, at } }] };
}

/** Shows the newest branch that continues from this message. */
export function showBranch(head: Head, messages: MessageNodes, id: string, at: Stamp): Patch {
  return { heads: [withValues(head, { shown: lastAfter(messages, id) }, at)], messages: [] };
}

/** Converts a conversation that is a list of turns, as in version 1 of the database, to a tree with one branch. */
export function fromList({ turns, ...rest }: ShownConversation): Patch {
  const at: Stamp = { time: rest.updatedAt, tab: '' };
  const named = turns.map((turn, index) => {
    const taken = turns.findIndex(({ id }) => id === turn.id) < index;
    return taken ? { ...turn, id: `${turn.id} ${index}` } : turn;
  });
  const messages = named.map((turn, index) => {
    const made = { time: rest.createdAt + index, tab: '' };
    return { ...newMessage(rest.id, named[index - 1]?.id ?? null, turn, at), made };
  });
  const head = withValues(
    newHead(rest.id, at, rest.settings, rest.model),
    { title: rest.title, shown: named.at(-1)?.id ?? null },
    at,
  );
  return { heads: [{ ...head, createdAt: rest.createdAt }], messages };
}

export function newMessage(conversation: string, parent: string | null, turn: Turn, at: Stamp): MessageNode {
  return {
    conversation,
    id: turn.id,
    parent,
    made: at,
    turn: { value: turn, at },
    deleted: { value: false, at },
  };
}
