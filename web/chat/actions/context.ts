import type { Client } from '../api/client.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../store.ts';

/** The shared objects that every action uses. */
export interface Context {
  store: Store;
  client: Client;
  database: Database;
}

/** Returns the message of a failure, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function tell({ store }: Context, text: string, tone: 'plain' | 'bad' = 'plain'): void {
  store.dispatch({ kind: 'notice', notice: { text, tone } });
}
