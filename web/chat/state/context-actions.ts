import type { ApiClient } from '../api/client.ts';
import type { SentDraft } from '../composer/draft.ts';
import type { ShownConversation } from '../conversation/conversation.ts';
import { latestStamp } from '../conversation/tree/merge.ts';
import { type HeadValues, withValues } from '../conversation/tree/operations.ts';
import type { Clock } from '../conversation/tree/stamp.ts';
import type { Patch } from '../conversation/tree/tree.ts';
import { t } from '../messages/language.ts';
import { problemText } from '../messages/problem.ts';
import { toolsOf } from '../tools/calls.ts';
import type { RunnableTool } from '../tools/offer.ts';
import type { TabChannel } from './channel.ts';
import type { Database } from './database.ts';
import { headOf } from './selectors.ts';
import { showNotice } from './show-notice.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';

/** The shared objects that every action uses. */
export interface Context {
  store: Store;
  client: ApiClient;
  database: Database;
  channel: TabChannel;
  clock: Clock;
  /** The reads of stored messages, finished or running, by conversation id. */
  reads: Map<string, Promise<void>>;
}

/** Advances the clock, so that the next changes of this tab are later than this patch. */
export function see({ clock }: Pick<Context, 'clock'>, patch: Patch): void {
  const last = latestStamp(patch);
  if (last) clock.see(last);
}

/** Merges stored conversations into the state. */
export function applyPatch(context: Context, patch: Patch): void {
  see(context, patch);
  context.store.dispatch({ kind: 'patch', patch });
}

/**
 * Reads the stored messages of a conversation, once. Changes that other tabs make meanwhile are merged. If the messages
 * can't be read, the next call tries again.
 */
export function readMessages(context: Context, id: string): Promise<void> {
  const { store, database, reads } = context;
  const known = reads.get(id);
  if (known) return known;
  store.dispatch({ kind: 'read', id });
  const reading = database.messages(id).then(
    (messages) => applyPatch(context, { heads: [], messages }),
    () => void reads.delete(id),
  );
  reads.set(id, reading);
  return reading;
}

/** Returns the tools that the page can run for a conversation. */
export function toolsFor({ store }: Context, conversation: ShownConversation): RunnableTool[] {
  const state = store.get();
  return toolsOf(conversation, state.tools.servers, headOf(state, conversation.id)?.tools?.value);
}

/** Returns the message of an error in the language of the page. */
export function localizedMessageOf(error: unknown): string {
  return problemText(error, t);
}

/** Shows a short message, as `showNotice` does. */
export function tell({ store }: Context, text: string, tone: 'plain' | 'bad' = 'plain'): void {
  showNotice(store, { text, tone });
}

/**
 * Applies a patch to this tab and the other tabs at once, and to the storage. If the patch is the message that was
 * `sent` from a draft, the stored draft is emptied in the same transaction. Resolves when the patch is stored or
 * storing has failed.
 */
export async function change(context: Context, patch: Patch, sent?: SentDraft): Promise<void> {
  const { store, database, channel } = context;
  const whole = withWords(store.get(), patch);
  store.dispatch({ kind: 'patch', patch: whole });
  channel.post({ kind: 'patch', patch: whole });
  try {
    await database.merge(whole, sent);
  } catch {
    if (!store.get().kept) return;
    tell(context, t('chats.cannotKeep'), 'bad');
  }
}

/** Sets fields of a conversation. A conversation that has not begun is not stored. */
export function setValues(context: Context, id: string, values: Partial<HeadValues>): void {
  const { store, clock } = context;
  const head = headOf(store.get(), id);
  if (!head) return;
  const changed = withValues(head, values, clock.next());
  if (store.get().chats.heads[id]) void change(context, { heads: [changed], messages: [] });
  else store.dispatch({ kind: 'fresh', head: changed });
}

/**
 * Adds all messages that this tab still has to a patch that restores a conversation, because another tab may have
 * erased it.
 */
function withWords({ chats }: State, patch: Patch): Patch {
  const back = patch.heads.filter(({ id, deleted }) => chats.heads[id]?.deleted.value && !deleted.value);
  if (back.length === 0) return patch;
  const words = back.flatMap(({ id }) => Object.values(chats.messages[id] ?? {}));
  return { heads: patch.heads, messages: [...words, ...patch.messages] };
}
