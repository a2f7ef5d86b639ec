import type { ToolCallObject } from '../../../src/core/api/chat/tool-call.ts';
import type { Timings } from '../../../src/core/api/stream/usage.ts';
import type { FinishReason } from '../../../src/core/events.ts';
import { NO_SETTINGS, type Settings } from './settings.ts';

/** A conversation as it is shown, stored and exported. Times are Unix times in ms. */
export interface Conversation {
  id: string;
  title: string;
  createdAt: number;
  updatedAt: number;
  /** The id of its model; null if the page chooses one. */
  model: string | null;
  settings: Settings;
  turns: Turn[];
}

export type Turn = UserTurn | ReplyTurn | ToolTurn;

export interface UserTurn {
  role: 'user';
  id: string;
  text: string;
  /** The images as data: URLs. */
  images: string[];
  /** Conversations from before recordings existed lack this field. */
  recordings?: Recording[];
}

/** A WAV or MP3 file with its own name. */
export interface Recording {
  name: string;
  seconds: number;
  /** The file as a data: URL of audio/wav or audio/mpeg. */
  url: string;
}

export interface ReplyTurn {
  role: 'assistant';
  id: string;
  model: string;
  text: string;
  reasoning: string;
  calls: ToolCallObject[];
  /** Null while the reply is still growing. */
  end: ReplyEnd | null;
  stats: ReplyStats | null;
}

/** The result of one call in the reply before it. */
export interface ToolTurn {
  role: 'tool';
  id: string;
  callId: string;
  text: string;
}

export type ReplyEnd =
  | { kind: 'finished'; reason: FinishReason }
  | { kind: 'stopped' }
  /** `code` is the API's error code. */
  | { kind: 'failed'; message: string; code: string | null };

/** The figures of a reply. Counts are tokens; times are in ms by the page's clock; rates are the server's. */
export interface ReplyStats {
  promptTokens: number;
  cachedTokens: number;
  tokens: number;
  tokensPerSecond: number | null;
  firstTokenMs: number | null;
  totalMs: number;
}

/** The fields that the list of conversations shows. */
export type Summary = Pick<Conversation, 'id' | 'title' | 'updatedAt'>;

/** The figures in the last events of a stream. */
export interface ReplyFigures {
  usage: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details?: { cached_tokens: number } } | null;
  timings: Pick<Timings, 'predicted_per_second'> | null;
}

export const UNTITLED = 'New chat';
const TITLE_LENGTH = 60;

export function newConversation(now: number, settings: Settings = NO_SETTINGS): Conversation {
  return {
    id: crypto.randomUUID(),
    title: UNTITLED,
    createdAt: now,
    updatedAt: now,
    model: null,
    settings,
    turns: [],
  };
}

export function newReply(model: string): ReplyTurn {
  return {
    role: 'assistant',
    id: crypto.randomUUID(),
    model,
    text: '',
    reasoning: '',
    calls: [],
    end: null,
    stats: null,
  };
}

/** Appends turns to the conversation. Its first text becomes the title. */
export function withTurns(conversation: Conversation, turns: Turn[], now: number): Conversation {
  const asked = turns.find((turn) => turn.role === 'user');
  const title = conversation.title === UNTITLED && asked ? titleOf(asked) : conversation.title;
  return { ...conversation, title, updatedAt: now, turns: [...conversation.turns, ...turns] };
}

/** Returns the conversation before this turn. */
export function upTo(conversation: Conversation, turnId: string): Conversation {
  const index = conversation.turns.findIndex(({ id }) => id === turnId);
  return index < 0 ? conversation : { ...conversation, turns: conversation.turns.slice(0, index) };
}

/** Replaces the reply with the same id. */
export function withReply(conversation: Conversation, reply: ReplyTurn): Conversation {
  return { ...conversation, turns: conversation.turns.map((turn) => (turn.id === reply.id ? reply : turn)) };
}

/** Prepares a conversation from storage: a reply that was still growing counts as stopped. */
export function settled(conversation: Conversation): Conversation {
  const turns = conversation.turns.map((turn): Turn => {
    return turn.role === 'assistant' && turn.end === null ? { ...turn, end: { kind: 'stopped' } } : turn;
  });
  return { ...conversation, turns };
}

/** Returns the calls of the last reply that have no result yet. */
export function openCalls({ turns }: Conversation): ToolCallObject[] {
  const last = turns.findLastIndex(({ role }) => role === 'assistant');
  const reply = turns[last];
  if (reply?.role !== 'assistant' || reply.end === null) return [];
  const after = turns.slice(last + 1);
  if (after.some(({ role }) => role !== 'tool')) return [];
  return reply.calls.filter(({ id }) => !after.some((turn) => turn.role === 'tool' && turn.callId === id));
}

export function toSummary({ id, title, updatedAt }: Conversation): Summary {
  return { id, title, updatedAt };
}

/** Sorts the newest to the top. */
export function byTime(summaries: Summary[]): Summary[] {
  return summaries.toSorted((one, other) => other.updatedAt - one.updatedAt);
}

function titleOf({ text, images, recordings = [] }: UserTurn): string {
  const line = text.trim().split(/\s+/).join(' ');
  if (line === '' && images.length > 0) return 'An image';
  if (line === '') return recordings.length > 0 ? 'A recording' : UNTITLED;
  const characters = Array.from(line);
  return characters.length <= TITLE_LENGTH ? line : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}
