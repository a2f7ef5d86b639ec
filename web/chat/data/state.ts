import type { Arrival } from './arrival.ts';
import {
  byTime,
  type Conversation,
  newConversation,
  type ReplyTurn,
  type Summary,
  toSummary,
  withReply,
} from './conversation.ts';
import type { Health } from './health.ts';
import { canChat, type ListedModel } from './model.ts';
import type { Coming } from './reply.ts';

/** Where the API answers: a local server, or this very browser. */
export type Ground = 'server' | 'browser';

/** Whether the page can be used yet. */
export type Startup = { kind: 'starting' } | { kind: 'ready'; ground: Ground } | { kind: 'failed'; message: string };

/** A short word to the reader; `undo` brings back what was deleted. */
export interface Notice {
  text: string;
  tone: 'plain' | 'bad';
  undo?: Conversation;
}

export interface State {
  startup: Startup;
  /** Null before they are known. */
  models: ListedModel[] | null;
  /** The model of new conversations; null takes the first. */
  preferredModel: string | null;
  health: Health | null;
  arrival: Arrival | null;
  /** Every conversation that is kept, the newest first. */
  summaries: Summary[];
  /** Those that were opened since the page was loaded. */
  conversations: Record<string, Conversation>;
  currentId: string;
  /** The replies that come just now, by conversation. */
  coming: Record<string, Coming>;
  /** What the server said of the key, when it wants another one. */
  keyWanted: string | null;
  notice: Notice | null;
  /** For screen readers. */
  announcement: string;
}

export type Action =
  | { kind: 'startup'; startup: Startup }
  | { kind: 'models'; models: ListedModel[] }
  | { kind: 'preferred model'; id: string }
  | { kind: 'health'; health: Health | null }
  | { kind: 'arrival'; arrival: Arrival | null }
  | { kind: 'summaries'; summaries: Summary[] }
  | { kind: 'conversation'; conversation: Conversation }
  | { kind: 'open'; conversation: Conversation }
  | { kind: 'delete'; id: string; instead: Conversation }
  | { kind: 'coming'; conversationId: string; coming: Coming }
  | { kind: 'ended'; conversationId: string; reply: ReplyTurn }
  | { kind: 'key wanted'; message: string | null }
  | { kind: 'notice'; notice: Notice | null }
  | { kind: 'announce'; text: string };

export function initialState(now: number, preferredModel: string | null): State {
  const conversation = newConversation(now);
  return {
    startup: { kind: 'starting' },
    models: null,
    preferredModel,
    health: null,
    arrival: null,
    summaries: [],
    conversations: { [conversation.id]: conversation },
    currentId: conversation.id,
    coming: {},
    keyWanted: null,
    notice: null,
    announcement: '',
  };
}

export function reduce(state: State, action: Action): State {
  switch (action.kind) {
    case 'startup':
      return { ...state, startup: action.startup };
    case 'models':
      return { ...state, models: action.models };
    case 'preferred model':
      return { ...state, preferredModel: action.id };
    case 'health':
      return { ...state, health: action.health };
    case 'arrival':
      return { ...state, arrival: action.arrival };
    case 'summaries':
      return { ...state, summaries: byTime(action.summaries) };
    case 'conversation':
      return withConversation(state, action.conversation);
    case 'open':
      return { ...withConversation(state, action.conversation), currentId: action.conversation.id };
    case 'delete':
      return withoutConversation(state, action.id, action.instead);
    case 'coming':
      return { ...state, coming: { ...state.coming, [action.conversationId]: action.coming } };
    case 'ended':
      return withEnded(state, action.conversationId, action.reply);
    case 'key wanted':
      return { ...state, keyWanted: action.message };
    case 'notice':
      return { ...state, notice: action.notice };
    case 'announce':
      return { ...state, announcement: action.text };
    default:
      return action satisfies never;
  }
}

export function currentConversation({ conversations, currentId }: State): Conversation {
  const conversation = conversations[currentId];
  if (!conversation) throw new Error('the current conversation is always a known one');
  return conversation;
}

/** Where the API answers, null before that is known. */
export function groundOf({ startup }: State): Ground | null {
  return startup.kind === 'ready' ? startup.ground : null;
}

/** The model that a conversation goes on with: its own, else the preferred one, else the first that is made to chat. */
export function modelOf(state: State, { model }: Conversation): ListedModel | undefined {
  const able = (state.models ?? []).filter(canChat);
  const wanted = [model, state.preferredModel].map((id) => able.find((one) => one.id === id)).find(Boolean);
  // Those that just go on with a text have no template of a chat.
  return wanted ?? able.find(({ settings }) => settings.prompt_template) ?? able[0];
}

/** An empty conversation is not kept, so the list does not show it either. */
function withConversation(state: State, conversation: Conversation): State {
  const others = state.summaries.filter(({ id }) => id !== conversation.id);
  return {
    ...state,
    conversations: { ...state.conversations, [conversation.id]: conversation },
    summaries: conversation.turns.length === 0 ? others : byTime([...others, toSummary(conversation)]),
  };
}

function withoutConversation(state: State, id: string, instead: Conversation): State {
  const { [id]: deleted, ...conversations } = state.conversations;
  const rest: State = { ...state, conversations, summaries: state.summaries.filter((summary) => summary.id !== id) };
  return state.currentId === id ? reduce(rest, { kind: 'open', conversation: instead }) : rest;
}

/** A reply that has ended goes into its conversation, unless that has gone another way or is gone since. */
function withEnded(state: State, conversationId: string, reply: ReplyTurn): State {
  const conversation = state.conversations[conversationId];
  const { [conversationId]: coming, ...others } = state.coming;
  const rest = coming?.reply.id === reply.id ? { ...state, coming: others } : state;
  return conversation ? withConversation(rest, withReply(conversation, reply)) : rest;
}
