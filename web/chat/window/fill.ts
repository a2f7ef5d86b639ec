import type { ListedModel } from '../../../src/contract/models/model.ts';
import { wayOf } from '../conversation/tree/branches.ts';
import { compareStamps, type Field } from '../conversation/tree/stamp.ts';
import type { Head, MessageNodes } from '../conversation/tree/tree.ts';
import type { Health } from '../page/health.ts';
import type { Settings } from '../settings/settings.ts';

/** How full the context window of a conversation is. Counts are tokens. */
export interface Fill {
  window: number;
  /** The conversation and the message that is being written. */
  used: number;
  /** The room that is kept for the reply. */
  reserve: number;
  /** `half`: from half of the window on. `full`: the reply may lack room. */
  level: 'quiet' | 'half' | 'full';
}

/** The API's error code of a prompt that does not fit the window. */
export const WINDOW_FULL = 'context_length_exceeded';

/** The room for a reply if the settings say nothing, in tokens. */
const REPLY_TOKENS = 1024;
/** A reply gets no more of the window than this, so that small windows hold a conversation as well. */
const REPLY_SHARE = 0.25;

/** Returns the window of a model in tokens: that of a slot if it is loaded, or else the one that it would get. */
export function windowOf(health: Health | null, model: ListedModel): number {
  return health?.models.find(({ id }) => id === model.id)?.context_length ?? model.context_length;
}

export function reserveOf({ sampling }: Settings, window: number): number {
  return Math.min(sampling.max_tokens ?? REPLY_TOKENS, Math.floor(window * REPLY_SHARE));
}

export function fillOf(used: number, settings: Settings, window: number): Fill {
  const reserve = reserveOf(settings, window);
  const level = used + reserve > window ? 'full' : used >= window / 2 ? 'half' : 'quiet';
  return { window, used, reserve, level };
}

/**
 * The tokens of the shown branch as the server counted them with the last reply. Null if anything has changed since, if
 * another model gets the conversation now, or if the reply has thoughts, which the next request lacks.
 */
export function tokensByLastReply(head: Head, messages: MessageNodes, modelId: string): number | null {
  const way = wayOf(head, messages);
  const last = way.at(-1);
  const reply = last?.turn.value;
  if (!last || last.deleted.value || reply?.role !== 'assistant') return null;
  if (!reply.stats?.promptTokens || reply.model !== modelId || reply.reasoning !== '') return null;
  const changes: (Field<unknown> | undefined)[] = [
    head.settings,
    ...way.flatMap(({ cut, deleted, turn }) => [cut, deleted, ...(turn === last.turn ? [] : [turn])]),
  ];
  const isStale = changes.some((field) => field && compareStamps(field.at, last.made) > 0);
  const { promptTokens, tokens, inPrompt = 0 } = reply.stats;
  return isStale ? null : promptTokens + tokens - inPrompt;
}

/** The most tokens that a text can have: no token has less than a byte. */
export function mostTokens(text: string): number {
  return new TextEncoder().encode(text).length;
}
