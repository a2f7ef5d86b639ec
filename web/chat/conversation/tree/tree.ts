import type { Settings } from '../../settings/settings.ts';
import type { ChatTools } from '../../tools/chat-tools.ts';
import type { Cut } from '../../window/cut.ts';
import type { Turn } from '../conversation.ts';
import type { Field, Stamp } from './stamp.ts';

// Conversations are trees of messages. A message is never changed into another one: an edited question or a second
// answer is a new message with the same parent. Everything here is plain data, and `merge` joins what two tabs have.

/** A conversation without its messages. Fields that are added here later are merged like the others. */
export interface Head {
  id: string;
  /** Unix times in ms. */
  createdAt: number;
  updatedAt: number;
  title: Field<string>;
  /** The id of its model; null if the page chooses one. */
  model: Field<string | null>;
  settings: Field<Settings>;
  /** A deleted conversation stays for a while, so that it can be restored. */
  deleted: Field<boolean>;
  /** The id of the last message of the branch that is shown; null for none. */
  shown: Field<string | null>;
  /** A pinned conversation stands before the others in the list. Those from before that could be done lack it. */
  pinned?: Field<boolean>;
  /** The name of the folder that it is in; '' for none. Those that were never in one lack it. */
  folder?: Field<string>;
  /** Which tools run in it. Those for which nobody has set it lack it. */
  tools?: Field<ChatTools>;
  /** The id of a second model that answers each question too; null for none. */
  second?: Field<string | null>;
  /** The ids of the two replies that are compared; none if a person has gone on with one. */
  compared?: Field<string[]>;
}

export interface Message {
  /** The id of its conversation. */
  conversation: string;
  /** The same as that of its turn. */
  id: string;
  /** The message before; null for the first one. */
  parent: string | null;
  made: Stamp;
  /** What was said. A reply is set anew while it grows; other turns stay as they are. */
  turn: Field<Turn>;
  deleted: Field<boolean>;
  /** If set, this message and all before it are left out of requests. Most messages lack it. */
  cut?: Field<Cut | null>;
}

/** The messages of one conversation, by their ids. */
export type Messages = Record<string, Message>;

/** A change, and also all that there is: parts of conversations, to be merged with others. */
export interface Patch {
  heads: Head[];
  messages: Message[];
}

/** Conversations and messages, by their ids. Messages are by the id of their conversation first. */
export interface Chats {
  heads: Record<string, Head>;
  messages: Record<string, Messages>;
}

export const NO_CHATS: Chats = { heads: {}, messages: {} };
