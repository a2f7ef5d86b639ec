import type { ListedModel } from '../../../src/contract/models/model.ts';
import { type MessageDraft, mergeDraft, NO_DRAFT } from '../composer/draft.ts';
import { merge } from '../conversation/tree/merge.ts';
import { type Chats, type Head, NO_CHATS, type Patch } from '../conversation/tree/tree.ts';
import type { Arrival } from '../models/arrival.ts';
import type { Home } from '../models/home-server.ts';
import type { Health } from '../page/health.ts';
import { mergePresets, NO_PRESETS, type Presets } from '../presets/presets.ts';
import { mergePrompts, type Prompts, type SavedPrompt } from '../prompts/prompts.ts';
import type { Coming } from '../reply/reply.ts';
import type { Waiting } from '../reply/waiting.ts';
import type { FoundPlace } from '../sidebar/search.ts';
import { NO_TOOLS, reduceTools, type ToolsAction, type ToolsState } from '../tools/tools-state.ts';

/** Where the API runs: on a local server or in this browser. */
export type Ground = 'server' | 'browser';

/** The progress of the page's start. */
export type Startup =
  | { kind: 'starting' }
  /** The first visit fetches the engine and a model. Amounts are in bytes. */
  | { kind: 'fetching'; completed: number; total: number }
  | { kind: 'ready'; ground: Ground }
  /** `retry` is false if a second try can't help. */
  | { kind: 'failed'; message: string; retry: boolean };

/** A short message. `undo` reverses the change that it reports. */
export interface Notice {
  text: string;
  tone: 'plain' | 'bad';
  undo?: () => void;
}

/** A reply that another tab writes. */
export interface Elsewhere {
  /** The id of the tab. */
  tab: string;
  conversationId: string;
}

/** A reply that grows in this tab. */
export interface Growing extends Coming {
  conversationId: string;
}

export interface State {
  startup: Startup;
  /** Null until the list has been fetched. */
  models: ListedModel[] | null;
  /** The id of the model that was chosen last; null for none. */
  preferredModel: string | null;
  /** The id of the model of all new conversations; null for the model that was chosen last. */
  defaultModel: string | null;
  health: Health | null;
  arrival: Arrival | null;
  /** All conversations, and the messages of the conversations that were opened since the page was loaded. */
  chats: Chats;
  /** True once all stored conversations are in the list. */
  listed: boolean;
  /** The conversation that has not begun. It is not stored until its first message is sent. */
  fresh: Head;
  currentId: string;
  /** The place in the current conversation where a search found words; null for none. */
  place: FoundPlace | null;
  /** The replies that grow in this tab, by their ids. */
  coming: Record<string, Growing>;
  /** The replies that grow in other tabs, by their ids. */
  elsewhere: Record<string, Elsewhere>;
  /** The unfinished summaries that are being written in this tab, by conversation id. */
  summarising: Record<string, string>;
  /** The stored settings. */
  presets: Presets;
  /** The replies that wait until Paddock is ready, at most one for each conversation. */
  waiting: Waiting[];
  /** The drafts, by conversation id or `NEW_CHAT`. */
  drafts: Record<string, MessageDraft>;
  prompts: Prompts;
  /** False if this browser denies the page storage. */
  kept: boolean;
  /** The server's message if it wants a key or has refused the key; otherwise null. */
  keyWanted: string | null;
  notice: Notice | null;
  tools: ToolsState;
  /** The server that answers in place of this browser whenever it can; null for none. */
  home: Home | null;
  /** The announcement for screen readers. */
  announcement: string;
}

export type Action =
  | { kind: 'startup'; startup: Startup }
  | { kind: 'models'; models: ListedModel[] }
  | { kind: 'preferred model'; id: string }
  | { kind: 'default model'; id: string | null }
  | { kind: 'health'; health: Health | null }
  | { kind: 'arrival'; arrival: Arrival | null }
  | { kind: 'patch'; patch: Patch }
  /** A patch from another tab. */
  | { kind: 'patch from elsewhere'; patch: Patch; tab: string }
  | { kind: 'tab left'; tab: string }
  /** Marks the messages of this conversation as read, even if it has none. */
  | { kind: 'read'; id: string }
  | { kind: 'listed' }
  | { kind: 'fresh'; head: Head }
  | { kind: 'open'; id: string }
  | { kind: 'place'; place: FoundPlace }
  | { kind: 'coming'; conversationId: string; coming: Coming }
  | { kind: 'ended'; replyId: string }
  /** These replies of other tabs do not grow any more. */
  | { kind: 'ended elsewhere'; replyIds: string[] }
  /** The text of a growing summary; null ends it. */
  | { kind: 'summarising'; conversationId: string; text: string | null }
  | { kind: 'waiting'; waiting: Waiting[] }
  | { kind: 'draft'; key: string; draft: Partial<MessageDraft> }
  | { kind: 'presets'; presets: Presets }
  | { kind: 'prompts'; prompts: SavedPrompt[] }
  | { kind: 'kept'; kept: boolean }
  | { kind: 'key wanted'; message: string | null }
  | { kind: 'notice'; notice: Notice | null }
  | { kind: 'announce'; text: string }
  | { kind: 'tools'; change: ToolsAction }
  | { kind: 'home'; home: Home | null };

/** Returns the state at the start of the page. `currentId` is the id in the address; '' for a new conversation. */
export function initialState(
  fresh: Head,
  preferredModel: string | null,
  currentId = '',
  waiting: Waiting[] = [],
): State {
  return {
    startup: { kind: 'starting' },
    models: null,
    preferredModel,
    defaultModel: null,
    health: null,
    arrival: null,
    chats: NO_CHATS,
    listed: false,
    fresh,
    currentId: currentId || fresh.id,
    place: null,
    coming: {},
    elsewhere: {},
    summarising: {},
    waiting,
    drafts: {},
    presets: NO_PRESETS,
    prompts: {},
    kept: true,
    keyWanted: null,
    notice: null,
    tools: NO_TOOLS,
    home: null,
    announcement: '',
  };
}

/** Returns the state after an action. */
export function reduce(state: State, action: Action): State {
  switch (action.kind) {
    case 'startup':
      return { ...state, startup: action.startup };
    case 'models':
      return { ...state, models: action.models };
    case 'preferred model':
      return { ...state, preferredModel: action.id };
    case 'default model':
      return { ...state, defaultModel: action.id };
    case 'health':
      return { ...state, health: action.health };
    case 'arrival':
      return { ...state, arrival: action.arrival };
    case 'patch':
      return withChats(state, merge(state.chats, action.patch));
    case 'patch from elsewhere':
      return withPatchFrom(state, action.patch, action.tab);
    case 'tab left':
      return {
        ...state,
        elsewhere: withoutTab(state.elsewhere, action.tab),
        tools: reduceTools(state.tools, { kind: 'running calls elsewhere', tab: action.tab, calls: [] }),
      };
    case 'read':
      return withChats(state, withMessages(state.chats, action.id));
    case 'listed':
      return { ...state, listed: true };
    case 'fresh':
      return { ...state, fresh: action.head };
    case 'open':
      return { ...state, currentId: action.id, place: null };
    case 'place':
      return { ...state, place: action.place };
    case 'coming':
      return withComing(state, { ...action.coming, conversationId: action.conversationId });
    case 'ended':
      return { ...state, coming: without(state.coming, [action.replyId]) };
    case 'ended elsewhere':
      return { ...state, elsewhere: without(state.elsewhere, action.replyIds) };
    case 'summarising':
      return { ...state, summarising: withSummary(state.summarising, action.conversationId, action.text) };
    case 'waiting':
      return { ...state, waiting: action.waiting };
    case 'draft':
      return {
        ...state,
        drafts: { ...state.drafts, [action.key]: mergeDraft(state.drafts[action.key] ?? NO_DRAFT, action.draft) },
      };
    case 'presets':
      return { ...state, presets: mergePresets(state.presets, action.presets) };
    case 'prompts':
      return { ...state, prompts: mergePrompts(state.prompts, action.prompts) };
    case 'kept':
      return { ...state, kept: action.kept };
    case 'key wanted':
      return { ...state, keyWanted: action.message };
    case 'notice':
      return { ...state, notice: action.notice };
    case 'announce':
      return { ...state, announcement: action.text };
    case 'home':
      return { ...state, home: action.home };
    case 'tools':
      return { ...state, tools: reduceTools(state.tools, action.change) };
    default:
      return action satisfies never;
  }
}

/**
 * Merges a patch of another tab. Messages of conversations that this tab has not opened are left out: they are read
 * from the storage when the conversation is opened.
 */
function withPatchFrom(state: State, { heads, messages }: Patch, tab: string): State {
  const known = messages.filter(({ conversation }) => state.chats.messages[conversation]);
  const elsewhere = { ...state.elsewhere };
  for (const { id, conversation, turn } of messages) {
    if (turn.value.role !== 'assistant') continue;
    if (turn.value.end === null) elsewhere[id] = { tab, conversationId: conversation };
    else delete elsewhere[id];
  }
  return { ...state, chats: merge(state.chats, { heads, messages: known }), elsewhere };
}

function withSummary(known: State['summarising'], id: string, text: string | null): State['summarising'] {
  return text === null ? without(known, [id]) : { ...known, [id]: text };
}

function without<T>(record: Record<string, T>, keys: string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

function withoutTab(elsewhere: State['elsewhere'], tab: string): State['elsewhere'] {
  return Object.fromEntries(Object.entries(elsewhere).filter(([, other]) => other.tab !== tab));
}

function withChats(state: State, chats: Chats): State {
  return chats === state.chats ? state : { ...state, chats };
}

function withMessages(chats: Chats, id: string): Chats {
  return chats.messages[id] ? chats : { ...chats, messages: { ...chats.messages, [id]: {} } };
}

function withComing(state: State, growing: Growing): State {
  return { ...state, coming: { ...state.coming, [growing.reply.id]: growing } };
}
