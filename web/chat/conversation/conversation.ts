import type { ToolCallObject } from '../../../src/api/chat/tool-call.ts';
import type { CacheTimings, Timings } from '../../../src/api/stream/usage.ts';
import type { FinishReason } from '../../../src/contract/events.ts';
import type { TextFile } from '../attachments/text-file.ts';
import type { Settings } from '../settings/settings.ts';
import { newId } from '../state/new-id.ts';
import type { LeftOut } from '../window/cut.ts';

/** The branch of a conversation that is shown. Times are Unix times in ms. */
export interface ShownConversation {
  id: string;
  title: string;
  createdAt: number;
  updatedAt: number;
  /** The id of its model; null if the page chooses one. */
  model: string | null;
  settings: Settings;
  turns: Turn[];
  /** Two compared replies, which are shown in the place of the last turn. */
  compared?: ReplyTurn[];
  /** The first turns of the conversation, if they are left out of requests. */
  leftOut?: LeftOut;
}

export type Turn = UserTurn | ReplyTurn | ToolTurn;

export interface UserTurn {
  role: 'user';
  id: string;
  text: string;
  /** The images as data: URLs. */
  images: string[];
  /** Absent in conversations that are older than this field. */
  recordings?: Recording[];
  /** Absent in conversations that are older than this field. */
  files?: TextFile[];
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
  /** The ids of the calls that the page has begun to run; absent if there are none. */
  begun?: string[];
  /** Null while the reply is still growing. */
  end: ReplyEnd | null;
  stats: ReplyStats | null;
  /** True if a person has edited the reply. */
  edited?: true;
}

/** The result of one call in the reply before it. */
export interface ToolTurn {
  role: 'tool';
  id: string;
  callId: string;
  text: string;
  /** Set if the tool failed or a person declined the call. Then the text says so. */
  outcome?: 'failed' | 'declined';
}

export type ReplyEnd =
  | { kind: 'finished'; reason: FinishReason }
  | { kind: 'stopped' }
  /** `code` is the API's error code. */
  | { kind: 'failed'; message: string; code: string | null };

/**
 * The figures of a reply. Counts are in tokens, times in ms, measured by the page. Rates are the server's, in tokens
 * per second.
 */
export interface ReplyStats {
  promptTokens: number;
  cachedTokens: number;
  tokens: number;
  /** Set for a continued reply: the number of its tokens that `promptTokens` includes. */
  inPrompt?: number | undefined;
  tokensPerSecond: number | null;
  firstTokenMs: number | null;
  totalMs: number;
  /**
   * The reason why no more of the prompt was cached; undefined if all of it was, or if the server does not send a
   * reason.
   */
  miss?: CacheMissReason | undefined;
}

export type CacheMissReason = NonNullable<CacheTimings['miss']>['why'];

/** The fields that the list of conversations shows. */
export interface Summary extends Pick<ShownConversation, 'id' | 'title' | 'updatedAt'> {
  pinned: boolean;
  /** The name of its folder; '' for none. */
  folder: string;
}

/** The figures in the last events of a stream. */
export interface ReplyFigures {
  usage: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details?: { cached_tokens: number } } | null;
  timings: (Pick<Timings, 'predicted_per_second'> & { cache?: Pick<CacheTimings, 'miss'> }) | null;
}

/**
 * The titles of conversations that were not renamed. They are stored in English and shown in the language of the page.
 */
export const UNTITLED = 'New chat';
export const IMAGE_TITLE = 'An image';
export const RECORDING_TITLE = 'A recording';

const TITLE_LENGTH = 60;

/** Returns an empty reply that grows. */
export function newReply(model: string): ReplyTurn {
  return {
    role: 'assistant',
    id: newId(),
    model,
    text: '',
    reasoning: '',
    calls: [],
    end: null,
    stats: null,
  };
}

/** True if the turn is a reply that is still being written, here or in another tab. */
export function isGrowing(turn: Turn): boolean {
  return turn.role === 'assistant' && turn.end === null;
}

/**
 * True if the model can continue this reply: it was cut off or edited, and has no calls. A partial call can't be
 * continued as text, and a complete call waits for its result.
 */
export function canGoOn({ text, reasoning, calls, end, edited }: ReplyTurn): boolean {
  if (end === null || calls.length > 0 || (text === '' && reasoning === '')) return false;
  return edited === true || end.kind !== 'finished' || end.reason === 'length';
}

/**
 * Returns the last turn if it is a reply that can be continued. With a schema, no reply can, because the grammar begins
 * at the first token.
 */
export function replyToGoOn({ turns, settings }: ShownConversation): ReplyTurn | undefined {
  const last = turns.at(-1);
  return last?.role === 'assistant' && canGoOn(last) && !settings.schema?.trim() ? last : undefined;
}

/** Returns a conversation up to the turn before this one; undefined if the turn is not in it. */
export function turnsBefore(
  conversation: ShownConversation | undefined,
  turnId: string,
): ShownConversation | undefined {
  const index = conversation?.turns.findIndex(({ id }) => id === turnId) ?? -1;
  return conversation && index >= 0 ? { ...conversation, turns: conversation.turns.slice(0, index) } : undefined;
}

/** Returns the calls of the last reply that have no result yet. While two replies are compared, there are none. */
export function openCalls({ turns, compared }: ShownConversation): ToolCallObject[] {
  if (compared) return [];
  const last = turns.findLastIndex(({ role }) => role === 'assistant');
  const reply = turns[last];
  if (reply?.role !== 'assistant' || reply.end === null) return [];
  const after = turns.slice(last + 1);
  if (after.some(({ role }) => role !== 'tool')) return [];
  return reply.calls.filter(({ id }) => !after.some((turn) => turn.role === 'tool' && turn.callId === id));
}

/** Returns the title of a conversation that begins with this turn. */
export function titleOf({ text, images, recordings = [], files: [file] = [] }: UserTurn): string {
  const line = text.trim().split(/\s+/).join(' ') || (file?.name ?? '');
  if (line === '' && images.length > 0) return IMAGE_TITLE;
  if (line === '') return recordings.length > 0 ? RECORDING_TITLE : UNTITLED;
  const characters = Array.from(line);
  return characters.length <= TITLE_LENGTH ? line : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}
