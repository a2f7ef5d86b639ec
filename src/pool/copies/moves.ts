import { randomUUID } from 'node:crypto';
import { toLogFields } from '../../contract/log.ts';
import type { Copy } from './plan.ts';
import type { StoreCore } from './store-core.ts';

/** Moves copies from RAM to disk. */
export interface CopyMoves {
  /** Moves a copy if it has no users, or drops it if the disk has no room for it. Never rejects. */
  move(copy: Copy): Promise<void>;
  /**
   * Moves the copies that `list` returns, one after the other, after all moves that were asked for before. `list` is called when its turn
   * comes.
   */
  moveAll(list: () => Copy[]): Promise<void>;
  /** Returns a promise of the end if a copy of this name is being moved. Its file in RAM is about to be deleted. */
  moving(name: string): Promise<void> | undefined;
  /** Resolves when all moves that `moveAll` was asked for are done. */
  done(): Promise<void>;
}

/** Makes the moves of one store. */
export function createCopyMoves(core: StoreCore): CopyMoves {
  const moves = new Map<string, Promise<void>>();
  let queue: Promise<void> = Promise.resolve();

  const move = async (copy: Copy) => {
    if (!core.table.isUnused(copy)) return;
    const moved = moveToDisk(core, copy).finally(() => moves.delete(copy.name));
    moves.set(copy.name, moved);
    await moved;
  };

  return {
    move,
    moveAll(list) {
      queue = queue.then(async () => {
        for (const copy of list()) await move(copy);
      });
      return queue;
    },
    moving: (name) => moves.get(name),
    done: () => queue,
  };
}

async function moveToDisk({ table, files, log, tell, drop, clearFor }: StoreCore, copy: Copy): Promise<void> {
  const placed = table.beginMove(copy, randomUUID(), Date.now());
  if (placed) await clearFor(placed.evicted);
  try {
    if (!placed) return;
    await files.copyToDisk(copy, placed.copy);
    const pathInRam = files.path(copy);
    table.endMove(copy, placed.copy);
    await files.remove(pathInRam);
    tell(copy.identity, { kind: 'moved', name: copy.name, tier: 'disk' });
  } catch (error) {
    log.warn('a copy could not be brought to disk', toLogFields(error));
    if (placed) await drop(placed.copy);
  } finally {
    table.release(copy);
    if (copy.tier === 'ram') await drop(copy);
  }
}
