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

/** Where the API runs: on a local server or in this browser. */
export type Ground = 'server' | 'browser';

/** The progress of the page's start. */
export type Startup = { kind: 'starting' } | { kind: 'ready'; ground: Ground } | { kind: 'failed'; message: string };

/** A short message. `undo` is the deleted conversation that it offers to restore. */
export interface Notice {
  text: string;
  tone: 'plain' | 'bad';
  undo?: Conversation;
}

export interface State {
  startup: Startup;
  /** Null until the list has been fetched. */
  models: ListedModel[] | null;
  /** The id of the model for new conversations; null means the first one. */
  preferredModel: string | null;
  health: Health | null;
  arrival: Arrival | null;
  /** All stored conversations, the newest first. */
  summaries: Summary[];
  /** The conversations that were opened since the page was loaded. */
  conversations: Record<string, Conversation>;
  currentId: string;
  /** The growing replies, by conversation id. */
  coming: Record<string, Coming>;
  /** The server's message if it wants a key or another one; otherwise null. */
  keyWanted: string | null;
  notice: Notice | null;
  /** A text for screen readers. */
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

/** Returns where the API runs; null if that is not known yet. */
export function groundOf({ startup }: State): Ground | null {
  return startup.kind === 'ready' ? startup.ground : null;
}

/** Returns the model of a conversation: its own, else the preferred one, else the first chat model. */
export function modelOf(state: State, { model }: Conversation): ListedModel | undefined {
  const able = (state.models ?? []).filter(canChat);
  const wanted = [model, state.preferredModel].map((id) => able.find((one) => one.id === id)).find(Boolean);
  // Base models, which only continue a text, have no chat template.
  return wanted ?? able.find(({ settings }) => settings.prompt_template) ?? able[0];
}

/** Adds or replaces a conversation. Empty ones are not stored and so not listed. */
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

/**
 * Puts an ended reply into its conversation. Nothing changes if the conversation or that turn has been deleted since.
 */
function withEnded(state: State, conversationId: string, reply: ReplyTurn): State {
  const conversation = state.conversations[conversationId];
  const { [conversationId]: coming, ...others } = state.coming;
  const rest = coming?.reply.id === reply.id ? { ...state, coming: others } : state;
  return conversation ? withConversation(rest, withReply(conversation, reply)) : rest;
}
