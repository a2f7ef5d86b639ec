import { NO_SETTINGS, type Settings } from '../../settings/settings.ts';
import type { ChatTools } from '../../tools/chat-tools.ts';
import type { Cut } from '../../window/cut.ts';
import { type Conversation, type ReplyTurn, type Turn, titleOf, UNTITLED } from '../conversation.ts';
import { lastAfter, shownMessages, versionsOf } from './branches.ts';
import type { Stamp } from './stamp.ts';
import type { Head, Message, Messages, Patch } from './tree.ts';

// What a person can do to conversations. Each function returns the change alone; `merge` applies it. The stamp is a new
// one for each call.

/** The part of a conversation that may be set as it is. */
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

/** Sets some of a conversation's fields: its title, for example, or that it is deleted. */
export function withValues(head: Head, values: Partial<HeadValues>, at: Stamp): Head {
  const fields = Object.entries(values).map(([name, value]) => [name, { value, at }]);
  return { ...head, ...Object.fromEntries(fields) };
}

/**
 * Adds a turn after `parent` and shows it; null makes it the first of its conversation. The first question gives the
 * title. A conversation that was deleted meanwhile comes back with what is said in it.
 */
export function say(head: Head, parent: string | null, turn: Turn, at: Stamp): Patch {
  const title = head.title.value === UNTITLED && turn.role === 'user' ? { title: titleOf(turn) } : {};
  const changed = withValues(head, { shown: turn.id, deleted: false, ...title }, at);
  return { heads: [{ ...changed, updatedAt: at.time }], messages: [newMessage(head.id, parent, turn, at)] };
}

/** Says something else in the place of a message: an edited question, or another answer. Both stay. */
export function sayInstead(head: Head, messages: Messages, id: string, turn: Turn, at: Stamp): Patch {
  return say(head, messages[id]?.parent ?? null, turn, at);
}

/** Gives another answer in the place of one. Both stay, unless the old one failed before its first word: then it is deleted. */
export function answerAgain(head: Head, messages: Messages, id: string, turn: ReplyTurn, next: () => Stamp): Patch {
  const patch = sayInstead(head, messages, id, turn, next());
  const old = messages[id];
  if (!old || hasWords(old.turn.value)) return patch;
  return { ...patch, messages: [...patch.messages, ...setDeleted(old, true, next()).messages] };
}

function hasWords(turn: Turn): boolean {
  return turn.role !== 'assistant' || turn.text !== '' || turn.reasoning !== '' || turn.calls.length > 0;
}

/** Sets a reply that has grown. */
export function grow(message: Message, turn: Turn, at: Stamp): Patch {
  return { heads: [], messages: [{ ...message, turn: { value: turn, at } }] };
}

/** Deletes one message, or brings it back. What was said after it stays. */
export function setDeleted(message: Message, deleted: boolean, at: Stamp): Patch {
  return { heads: [], messages: [{ ...message, deleted: { value: deleted, at } }] };
}

/**
 * Deletes a message, and with a reply the results of its calls, which mean nothing without it. What was said after it stays. If it
 * was the last one shown, another version of it is shown, if there is one.
 */
export function deleteMessage(head: Head, messages: Messages, id: string, next: () => Stamp): Patch {
  const message = messages[id];
  if (!message) return { heads: [], messages: [] };
  const gone = [message, ...resultsOf(head, messages, id)];
  const others = versionsOf(messages, id);
  const at = others.indexOf(id);
  const other = others[at - 1] ?? others[at + 1];
  const wasLast = shownMessages(head, messages).at(-1)?.id === gone.at(-1)?.id;
  return {
    heads: wasLast && other !== undefined ? show(head, messages, other, next()).heads : [],
    messages: gone.flatMap((one) => setDeleted(one, true, next()).messages),
  };
}

/** The results that follow a reply in the branch that is shown. */
function resultsOf(head: Head, messages: Messages, id: string): Message[] {
  const shown = shownMessages(head, messages);
  const index = shown.findIndex((one) => one.id === id);
  const after = index < 0 ? [] : shown.slice(index + 1);
  const end = after.findIndex(({ turn }) => turn.value.role !== 'tool');
  return after.slice(0, end < 0 ? undefined : end);
}

/** Leaves this message and all before it out of requests; null takes them in again. */
export function setCut(message: Message, cut: Cut | null, at: Stamp): Patch {
  return { heads: [], messages: [{ ...message, cut: { value: cut, at } }] };
}

/** Shows the newest branch that goes on from this message. */
export function show(head: Head, messages: Messages, id: string, at: Stamp): Patch {
  return { heads: [withValues(head, { shown: lastAfter(messages, id) }, at)], messages: [] };
}

/** Makes a tree with one branch of a conversation that is a list of turns, as all were once. */
export function fromList({ turns, ...rest }: Conversation): Patch {
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

export function newMessage(conversation: string, parent: string | null, turn: Turn, at: Stamp): Message {
  return {
    conversation,
    id: turn.id,
    parent,
    made: at,
    turn: { value: turn, at },
    deleted: { value: false, at },
  };
}
