import type { Log } from '../../contract/log.ts';
import type { FromCopyStore, Tier } from '../../engine/node/copy-messages.ts';
import { type CopyConnection, connectEngine } from './connection.ts';
import { createCopyMoves } from './moves.ts';
import type { TierLimits } from './plan.ts';
import { createStoreCore, type StoreCore } from './store-core.ts';
import { createCopyWrites } from './writes.ts';

export type { CopyConnection } from './connection.ts';

export interface CopyStoreOptions {
  /** The folder of each tier. No other program writes there. */
  folders: Record<Tier, string>;
  /** The most bytes of each tier; 0 for a tier that is not to be used. */
  limits: TierLimits;
  /** True if some model can still load copies of this identity. All other copies are deleted when the store opens. */
  isCurrent: (identity: string) => boolean;
  log: Log;
}

/** Keeps copies of the KV caches of slots, for engines to load again: in RAM, and on disk once RAM is full. */
export interface CopyStore extends AsyncDisposable {
  /**
   * Connects an engine, and tells it of the copies of its `identity`, the hash of model file, engine and settings.
   *
   * @param model the model's id, for people
   */
  connect(identity: string, model: string, send: (message: FromCopyStore) => void): CopyConnection;
  /** Returns the bytes that each tier holds now, including files that are being written. */
  held(): Record<Tier, number>;
  /** Moves copies from RAM to disk until `bytes` are freed in RAM, or RAM holds no copy that could be moved. */
  freeMemory(bytes: number): Promise<void>;
}

const TIERS: Tier[] = ['ram', 'disk'];
/** How long a closing store may move copies from RAM to disk, in ms. */
const CLOSING_MS = 2000;
/** The share of RAM's limit that stays filled. The rest is free, so that the next copy finds room there at once. */
const RAM_FILLED = 3 / 4;

/** Opens the store, with the copies that an earlier store left in the same folders. Deletes all other files there. */
export async function openCopyStore({ folders, limits, isCurrent, log }: CopyStoreOptions): Promise<CopyStore> {
  const core = createStoreCore(folders, limits, log);
  const { table } = core;
  const writes = createCopyWrites(core);
  const moves = createCopyMoves(core);
  const answering = new Set<Promise<unknown>>();
  let closing = false;

  for (const tier of TIERS) await takeOver(core, tier, isCurrent);

  const track = (answer: Promise<unknown>) => {
    answering.add(answer);
    void answer.finally(() => answering.delete(answer));
  };
  const onSaved = () => {
    if (!closing) void moves.moveAll(() => table.toMoveDown(limits.ram * RAM_FILLED, Date.now()));
  };

  return {
    connect: (identity, model, send) =>
      connectEngine({ core, writes, moves, identity, model, send, isClosing: () => closing, onSaved, track }),
    held: () => ({ ram: table.bytesIn('ram'), disk: table.bytesIn('disk') }),
    async freeMemory(bytes) {
      if (bytes <= 0) return;
      await moves.moveAll(() => table.toMoveDown(Math.max(0, table.bytesIn('ram') - bytes), Date.now()));
    },
    async [Symbol.asyncDispose]() {
      closing = true;
      await Promise.all(answering);
      await moves.done();
      const until = performance.now() + CLOSING_MS;
      for (const copy of table.unusedInRam(Date.now())) {
        if (performance.now() > until) break;
        await moves.move(copy);
      }
      // A server that has ended must hold no memory.
      await core.files.clearRam();
    },
  };
}

async function takeOver({ table, files, forget }: StoreCore, tier: Tier, isCurrent: CopyStoreOptions['isCurrent']) {
  // A copy of the same name lies in both tiers if the earlier store ended while it moved the copy.
  for (const copy of await files.takeOver(tier, isCurrent)) if (!table.add(copy)) await files.remove(files.path(copy));
  await forget(table.trim(tier, Date.now()));
}
