import type { Client } from '../api/client.ts';
import { headOf } from '../data/state.ts';
import { latestStamp } from '../data/tree/merge.ts';
import { type HeadValues, withValues } from '../data/tree/operations.ts';
import type { Clock } from '../data/tree/stamp.ts';
import type { Patch } from '../data/tree/tree.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../store.ts';
import type { TabChannel } from '../tabs/channel.ts';

/** The shared objects that every action uses. */
export interface Context {
  store: Store;
  client: Client;
  database: Database;
  channel: TabChannel;
  clock: Clock;
}

/** Takes in what is stored. */
export function take({ store, clock }: Context, patch: Patch): void {
  const last = latestStamp(patch);
  if (last) clock.see(last);
  store.dispatch({ kind: 'patch', patch });
}

/** Reads the stored messages of a conversation. Changes that other tabs make meanwhile are taken in too. */
export async function readMessages(context: Context, id: string): Promise<void> {
  context.store.dispatch({ kind: 'read', id });
  take(context, { heads: [], messages: await context.database.messages(id).catch(() => []) });
}

/** Returns the message of a failure, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function tell({ store }: Context, text: string, tone: 'plain' | 'bad' = 'plain'): void {
  store.dispatch({ kind: 'notice', notice: { text, tone } });
}

/**
 * Makes a change to conversations: here and in the other tabs at once, and in the storage. Resolves when it is stored, or
 * can't be.
 */
export async function change(context: Context, patch: Patch): Promise<void> {
  const { store, database, channel } = context;
  store.dispatch({ kind: 'patch', patch });
  channel.post({ kind: 'patch', patch });
  try {
    await database.merge(patch);
  } catch {
    if (!store.get().kept) return;
    tell(context, 'This browser can’t keep the conversation: export it if it is dear to you.', 'bad');
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
