import type { Client } from '../api/client.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../store.ts';

/** What every action works on. */
export interface Context {
  store: Store;
  client: Client;
  database: Database;
}

/** A failure in words for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function tell({ store }: Context, text: string, tone: 'plain' | 'bad' = 'plain'): void {
  store.dispatch({ kind: 'notice', notice: { text, tone } });
}
