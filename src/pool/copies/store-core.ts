import type { Log } from '../../contract/log.ts';
import type { FromCopyStore, Tier } from '../../engine/node/copy-messages.ts';
import type { Copy, TierLimits } from './plan.ts';
import { createStoreFiles, type StoreFiles } from './store-files.ts';
import { type CopyTable, createCopyTable } from './table.ts';

/** An engine that is told of every change to the copies of its identity. */
export interface ConnectedEngine {
  identity: string;
  send: (message: FromCopyStore) => void;
}

/** What the parts of a store share: the table of copies, their files, and the engines. */
export interface StoreCore {
  readonly table: CopyTable;
  readonly files: StoreFiles;
  readonly engines: Set<ConnectedEngine>;
  readonly log: Log;
  /** Sends a message to all engines of this identity. */
  tell(identity: string, message: FromCopyStore): void;
  /** Removes a copy from the table, tells the engines, and deletes its files. Does nothing if the copy is removed already. */
  drop(copy: Copy): Promise<void>;
  /** Tells the engines of copies that are in the table no more, and deletes their files. */
  forget(copies: Copy[]): Promise<void>;
  /** Forgets the copies that were evicted for a new one. Resolves when the bytes of all deleted files are free. */
  clearFor(evicted: Copy[]): Promise<void>;
}

/** Makes the shared part of a store with an empty table. `limits` are the most bytes of each tier. */
export function createStoreCore(folders: Record<Tier, string>, limits: TierLimits, log: Log): StoreCore {
  const table = createCopyTable(limits);
  const files = createStoreFiles(folders);
  const engines = new Set<ConnectedEngine>();

  const tell: StoreCore['tell'] = (identity, message) => {
    for (const engine of engines) if (engine.identity === identity) engine.send(message);
  };
  const forget = async (copies: Copy[]) => {
    const removals = copies.map((copy) => {
      tell(copy.identity, { kind: 'dropped', name: copy.name });
      return files.remove(files.path(copy), files.partPath(copy));
    });
    await Promise.all(removals);
  };

  return {
    table,
    files,
    engines,
    log,
    tell,
    forget,
    async drop(copy) {
      if (table.remove(copy)) await forget([copy]);
    },
    async clearFor(evicted) {
      void forget(evicted);
      await files.removals();
    },
  };
}
