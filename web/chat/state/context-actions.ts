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
import type { State } from './state.ts';
import type { Store } from './store.ts';

/** The shared objects that every action uses. */
export interface Context {
  store: Store;
  client: ApiClient;
  database: Database;
  channel: TabChannel;
  clock: Clock;
  /** The conversations whose stored messages were read or are being read, by their ids. */
  reads: Map<string, Promise<void>>;
}

/** Has the next changes of this tab come after these. */
export function see({ clock }: Pick<Context, 'clock'>, patch: Patch): void {
  const last = latestStamp(patch);
  if (last) clock.see(last);
}

/** Takes in what is stored. */
export function applyPatch(context: Context, patch: Patch): void {
  see(context, patch);
  context.store.dispatch({ kind: 'patch', patch });
}

/**
 * Reads the stored messages of a conversation, once. Changes that other tabs make meanwhile are taken in too. If they
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

/** The tools that the page can run for a conversation. */
export function toolsFor({ store }: Context, conversation: ShownConversation): RunnableTool[] {
  const state = store.get();
  return toolsOf(conversation, state.tools.servers, headOf(state, conversation.id)?.tools?.value);
}

/** Returns the message of a failure, for people. */
export function localizedMessageOf(error: unknown): string {
  return problemText(error, t);
}

export function tell({ store }: Context, text: string, tone: 'plain' | 'bad' = 'plain'): void {
  store.dispatch({ kind: 'notice', notice: { text, tone } });
}

/**
 * Makes a change to conversations: here and in the other tabs at once, and in the storage. If it is what was `sent`, its
 * draft is emptied there with it. Resolves when it is stored, or can't be.
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

/** Sets fields of a conversation. One that has not begun is not stored. */
export function setValues(context: Context, id: string, values: Partial<HeadValues>): void {
  const { store, clock } = context;
  const head = headOf(store.get(), id);
  if (!head) return;
  const changed = withValues(head, values, clock.next());
  if (store.get().chats.heads[id]) void change(context, { heads: [changed], messages: [] });
  else store.dispatch({ kind: 'fresh', head: changed });
}

/** Another tab may have erased a conversation that comes back. So it comes with all words that are still here. */
function withWords({ chats }: State, patch: Patch): Patch {
  const back = patch.heads.filter(({ id, deleted }) => chats.heads[id]?.deleted.value && !deleted.value);
  if (back.length === 0) return patch;
  const words = back.flatMap(({ id }) => Object.values(chats.messages[id] ?? {}));
  return { heads: patch.heads, messages: [...words, ...patch.messages] };
}
