import type { ListedModel } from '../../../src/contract/models/model.ts';
import { wayOf } from '../conversation/tree/branches.ts';
import { compareStamps, type Field } from '../conversation/tree/stamp.ts';
import type { Head, MessageNodes } from '../conversation/tree/tree.ts';
import type { Health } from '../page/health.ts';
import type { Settings } from '../settings/settings.ts';

/** The use of a conversation's context window. Counts are in tokens. */
export interface Fill {
  window: number;
  /** The tokens of the conversation and the draft. */
  used: number;
  /** The tokens that are reserved for the reply. */
  reserve: number;
  /** `half`: at least half of the window is used. `full`: the reply may not fit. */
  level: 'quiet' | 'half' | 'full';
}

/** The API's error code for a prompt that does not fit the context window. */
export const WINDOW_FULL = 'context_length_exceeded';

/** The tokens that are reserved for a reply, if the settings have no `max_tokens`. */
const REPLY_TOKENS = 1024;
/** The largest share of the window that is reserved for a reply, so that a small window still holds a conversation. */
const REPLY_SHARE = 0.25;

/**
 * Returns the context window of a model, in tokens: the window of its slots if it is loaded, otherwise the window from
 * the list of models.
 */
export function windowOf(health: Health | null, model: ListedModel): number {
  return health?.models.find(({ id }) => id === model.id)?.context_length ?? model.context_length;
}

/** Returns the number of tokens that are reserved for a reply. */
export function reserveOf({ sampling }: Settings, window: number): number {
  return Math.min(sampling.max_tokens ?? REPLY_TOKENS, Math.floor(window * REPLY_SHARE));
}

/** Returns the use of a context window. `used` and `window` are in tokens. */
export function fillOf(used: number, settings: Settings, window: number): Fill {
  const reserve = reserveOf(settings, window);
  const level = used + reserve > window ? 'full' : used >= window / 2 ? 'half' : 'quiet';
  return { window, used, reserve, level };
}

/**
 * Returns the number of tokens in the shown branch, from the server's count for the last reply. Returns null if a
 * message or setting has changed since, if another model is chosen, or if the reply has reasoning, which the next
 * request lacks.
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

/** Returns the largest possible number of tokens in a text: its bytes, because no token is shorter than a byte. */
export function mostTokens(text: string): number {
  return new TextEncoder().encode(text).length;
}
