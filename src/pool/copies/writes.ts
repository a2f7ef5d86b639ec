import { randomUUID } from 'node:crypto';
import { toLogFields } from '../../contract/log.ts';
import type { ToCopyStore } from '../../engine/node/copy-messages.ts';
import type { Copy } from './plan.ts';
import type { StoreCore } from './store-core.ts';

/** What an engine says of a state that it has written. */
export type SavedMessage = Extract<ToCopyStore, { kind: 'saved' }>;

/** Makes copies out of the files that engines write. */
export interface CopyWrites {
  /**
   * Takes room for a copy and makes its empty file. Returns null if there can be no room. Throws if the file can't be made; the room is
   * free again then.
   */
  reserve(identity: string, bytes: number): Promise<Copy | null>;
  /** Completes a copy whose file the engine has written, or drops it if that fails. Never rejects. */
  complete(copy: Copy, model: string, message: SavedMessage): Promise<void>;
  /** Returns a promise of the end if the copy is being completed now. All engines have been told of the copy then. */
  completing(copy: Copy): Promise<void> | undefined;
}

/** Makes the writes of one store. */
export function createCopyWrites(core: StoreCore): CopyWrites {
  const { table, files, log } = core;
  const completing = new Map<Copy, Promise<void>>();

  const completeOrDrop = async (copy: Copy, model: string, message: SavedMessage) => {
    try {
      await completeCopy(core, copy, model, message);
    } catch (error) {
      log.warn('a copy could not be kept', toLogFields(error));
      await core.drop(copy);
    } finally {
      completing.delete(copy);
    }
  };

  return {
    async reserve(identity, bytes) {
      const placed = table.place({ name: randomUUID(), identity, bytes, evaluateMs: 0 }, Date.now());
      if (!placed) return null;
      const { copy, evicted } = placed;
      await core.clearFor(evicted);
      try {
        await files.create(copy);
        return copy;
      } catch (error) {
        await core.drop(copy);
        throw error;
      }
    },
    complete(copy, model, message) {
      const completed = completeOrDrop(copy, model, message);
      completing.set(copy, completed);
      return completed;
    },
    completing: (copy) => completing.get(copy),
  };
}

/** Throws if the copy has become too large, or if its file can't be written. */
async function completeCopy(
  { table, files, tell, forget }: StoreCore,
  copy: Copy,
  model: string,
  { scope, tokens, evaluateMs, replaces }: SavedMessage,
): Promise<void> {
  const { name, tier, identity } = copy;
  const bytes = await files.seal(copy, { facts: { identity, model, scope, evaluateMs }, tokens });
  const evicted = table.grow(copy, bytes, Date.now());
  if (!evicted) throw new Error('a copy is larger than expected, and there is no room for it');
  await forget(evicted);
  await files.publish(copy);
  const replaced = table.complete(copy, { bytes, evaluateMs }, replaces);
  tell(identity, { kind: 'added', copies: [{ name, tier, bytes, scope, tokens }] });
  await forget(replaced);
}
