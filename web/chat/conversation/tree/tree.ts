import type { Settings } from '../../settings/settings.ts';
import type { ChatTools } from '../../tools/chat-tools.ts';
import type { Cut } from '../../window/cut.ts';
import type { Turn } from '../conversation.ts';
import type { Field, Stamp } from './stamp.ts';

// Conversations are trees of messages. A message is never replaced: an edited question or a second reply is a new
// message with the same parent. Everything here is plain data, and `merge` joins the data of two tabs.

/** A conversation without its messages. `merge` merges every `Field` here, new ones too. */
export interface Head {
  id: string;
  /** Unix times in ms. */
  createdAt: number;
  updatedAt: number;
  title: Field<string>;
  /** The id of its model; null if the page chooses one. */
  model: Field<string | null>;
  settings: Field<Settings>;
  /** A deleted conversation keeps its content for a day, so that it can be restored. */
  deleted: Field<boolean>;
  /** The id of the last message of the branch that is shown; null for none. */
  shown: Field<string | null>;
  /** True if the conversation stands at the top of the list. Absent if that was never set. */
  pinned?: Field<boolean>;
  /** The name of its folder; '' for none. Absent if the conversation was never in a folder. */
  folder?: Field<string>;
  /** The tools that run in the conversation. Absent if that was never set. */
  tools?: Field<ChatTools>;
  /** The id of a second model that answers each question too; null for none. */
  second?: Field<string | null>;
  /** The ids of the two replies that are compared; none once a person has chosen one. */
  compared?: Field<string[]>;
}

export interface MessageNode {
  /** The id of its conversation. */
  conversation: string;
  /** The same id as the id of its turn. */
  id: string;
  /** The id of the message before; null for the first message. */
  parent: string | null;
  made: Stamp;
  /** The content. The turn of a reply is replaced while it grows; other turns never change. */
  turn: Field<Turn>;
  deleted: Field<boolean>;
  /** If set, this message and all messages before it are left out of requests. Most messages lack it. */
  cut?: Field<Cut | null>;
}

/** The messages of one conversation, by their ids. */
export type MessageNodes = Record<string, MessageNode>;

/** Parts of conversations to be merged: a change, or everything that is stored. */
export interface Patch {
  heads: Head[];
  messages: MessageNode[];
}

/** Conversations by their ids, and messages by the id of their conversation and their own id. */
export interface Chats {
  heads: Record<string, Head>;
  messages: Record<string, MessageNodes>;
}

export const NO_CHATS: Chats = { heads: {}, messages: {} };
