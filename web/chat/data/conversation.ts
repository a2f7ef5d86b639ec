import type { ToolCallObject } from '../../../src/core/api/chat/tool-call.ts';
import type { Timings } from '../../../src/core/api/stream/usage.ts';
import type { FinishReason } from '../../../src/core/events.ts';
import { NO_SETTINGS, type Settings } from './settings.ts';

/** A conversation as it is shown, kept and exported. Times are Unix ms. */
export interface Conversation {
  id: string;
  title: string;
  createdAt: number;
  updatedAt: number;
  /** The id of the model that was chosen for it; null leaves that to the page. */
  model: string | null;
  settings: Settings;
  turns: Turn[];
}

export type Turn = UserTurn | ReplyTurn | ToolTurn;

export interface UserTurn {
  role: 'user';
  id: string;
  text: string;
  /** As data: URLs. */
  images: string[];
  /** Absent from those of the time before there were any. */
  recordings?: Recording[];
}

/** A WAV or MP3 file, whose name is its own. */
export interface Recording {
  name: string;
  seconds: number;
  /** As a data: URL, of audio/wav or audio/mpeg. */
  url: string;
}

export interface ReplyTurn {
  role: 'assistant';
  id: string;
  model: string;
  text: string;
  reasoning: string;
  calls: ToolCallObject[];
  /** Null while the reply still comes. */
  end: ReplyEnd | null;
  stats: ReplyStats | null;
}

/** What a tool said to one call of the reply before it. */
export interface ToolTurn {
  role: 'tool';
  id: string;
  callId: string;
  text: string;
}

export type ReplyEnd =
  | { kind: 'finished'; reason: FinishReason }
  | { kind: 'stopped' }
  /** `code` is the API's. */
  | { kind: 'failed'; message: string; code: string | null };

/** How fast a reply came. Counts are tokens; times are ms by the page's clock, rates the server's own. */
export interface ReplyStats {
  promptTokens: number;
  cachedTokens: number;
  tokens: number;
  tokensPerSecond: number | null;
  firstTokenMs: number | null;
  totalMs: number;
}

/** What the list of conversations shows of one. */
export type Summary = Pick<Conversation, 'id' | 'title' | 'updatedAt'>;

/** What the end of a stream tells of its costs. */
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

/** The conversation with these turns more. The first text gives it its title. */
export function withTurns(conversation: Conversation, turns: Turn[], now: number): Conversation {
  const asked = turns.find((turn) => turn.role === 'user');
  const title = conversation.title === UNTITLED && asked ? titleOf(asked) : conversation.title;
  return { ...conversation, title, updatedAt: now, turns: [...conversation.turns, ...turns] };
}

/** The conversation up to, and without, this turn. */
export function upTo(conversation: Conversation, turnId: string): Conversation {
  const index = conversation.turns.findIndex(({ id }) => id === turnId);
  return index < 0 ? conversation : { ...conversation, turns: conversation.turns.slice(0, index) };
}

/** The conversation with this reply in the place of the one of the same id. */
export function withReply(conversation: Conversation, reply: ReplyTurn): Conversation {
  return { ...conversation, turns: conversation.turns.map((turn) => (turn.id === reply.id ? reply : turn)) };
}

/** A conversation as it comes from the store: a reply that was still coming then will come no more. */
export function settled(conversation: Conversation): Conversation {
  const turns = conversation.turns.map((turn): Turn => {
    return turn.role === 'assistant' && turn.end === null ? { ...turn, end: { kind: 'stopped' } } : turn;
  });
  return { ...conversation, turns };
}

/** The calls of the last reply that no tool has answered yet. */
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

/** The newest first. */
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
