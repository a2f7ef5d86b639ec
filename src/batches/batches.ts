import { setMaxListeners } from 'node:events';
import { newPrefixedId } from '../api/generation/ids.ts';
import { type Batches, type BatchObject, type BatchOwner, hasEnded, type NewBatch } from '../contract/batches.ts';
import { ApiError } from '../contract/errors.ts';
import { sum } from '../utils/sum.ts';
import { newFileId } from './file-store.ts';
import { type BatchGround, type BatchStop, type BatchStores, createLife } from './life.ts';
import { checkUnfinished } from './limits.ts';
import type { BatchRecord } from './records.ts';

/** The batches of a server. They run from `start` on, and pause at their disposal: the next start goes on with them. */
export interface ServerBatches extends Batches, AsyncDisposable {
  start(ground: BatchGround): void;
  /** Returns the number of requests without an answer in all batches that have not ended. */
  openRequests(): number;
}

/** The only completion window, in seconds. */
const WINDOW_S = 24 * 60 * 60;
/** How long a batch is remembered after it was made, in seconds. */
const REMEMBERED_S = 30 * 24 * 60 * 60;

/** A batch that lives. */
interface Living {
  stop: AbortController;
  ended: Promise<void>;
}

/**
 * Makes the batches of a server over their stores on disk. No batch runs before `start`. Its functions throw as
 * `Batches` says; `cancel` also throws a plain error for a batch that was forgotten.
 */
export function createBatches(stores: BatchStores): ServerBatches {
  const { files, records, limits, now } = stores;
  const living = new Map<string, Living>();
  let life: ReturnType<typeof createLife> | null = null;

  const begin = (id: string) => {
    const batch = records.get(id)?.batch;
    if (!life || !batch || hasEnded(batch)) return;
    const stop = new AbortController();
    // Each request under way listens, and there may be many.
    setMaxListeners(0, stop.signal);
    const leftMs = Math.max(0, batch.expires_at - now()) * 1000;
    const timer = setTimeout(() => stop.abort('expired' satisfies BatchStop), leftMs).unref();
    const ended = life(id, stop).finally(() => {
      clearTimeout(timer);
      living.delete(id);
    });
    living.set(id, { stop, ended });
  };
  const ownedBy = (owner: string) => records.all().filter((record) => record.owner === owner);
  /** Forgets old batches, and the oldest of an owner who has too many. */
  const forget = async (owner: string) => {
    const ended = ownedBy(owner).filter(({ batch }) => hasEnded(batch));
    const old = ended.filter(({ batch }) => batch.created_at + REMEMBERED_S <= now());
    const surplus = ended.slice(0, Math.max(0, ended.length - limits.ownerEnded));
    for (const { batch } of new Set([...old, ...surplus])) await records.remove(batch.id);
  };

  return {
    addFile: files.add,
    files: files.list,
    findFile: files.find,
    readFile: files.read,
    async removeFile(id) {
      if (isHeld(records.all(), id)) throw fileInUse(id);
      await files.remove(id);
    },

    async create(owner, wanted) {
      checkUnfinished(ownedBy(owner.id).filter(({ batch }) => !hasEnded(batch)).length, limits);
      await forget(owner.id);
      const record = newRecord(owner, wanted, now());
      await records.add(record);
      begin(record.batch.id);
      return record.batch;
    },
    list: (owner) =>
      ownedBy(owner)
        .map(({ batch }) => batch)
        .toReversed(),
    find(owner, id) {
      const record = records.get(id);
      return record?.owner === owner ? record.batch : undefined;
    },
    async cancel(id) {
      const batch = records.get(id)?.batch;
      if (batch && (batch.status === 'validating' || batch.status === 'in_progress')) {
        await records.change(id, { status: 'cancelling', cancelling_at: now() });
        living.get(id)?.stop.abort('cancelled' satisfies BatchStop);
      }
      return (records.get(id) ?? fail(id)).batch;
    },

    openRequests: () => sum(records.all().map(({ batch }) => (hasEnded(batch) ? 0 : openIn(batch)))),

    start(ground) {
      life = createLife(stores, ground);
      for (const { batch } of records.all()) begin(batch.id);
    },
    async [Symbol.asyncDispose]() {
      life = null;
      for (const { stop } of living.values()) stop.abort('shutdown' satisfies BatchStop);
      await Promise.all([...living.values()].map(({ ended }) => ended));
    },
  };
}

/** True if a batch that has not ended reads or writes this file. */
export function isHeld(records: readonly BatchRecord[], fileId: string): boolean {
  return records.some(
    ({ batch, outputId, errorId }) => !hasEnded(batch) && [batch.input_file_id, outputId, errorId].includes(fileId),
  );
}

function openIn({ request_counts: { total, completed, failed } }: BatchObject): number {
  return total - completed - failed;
}

function newRecord(owner: BatchOwner, { inputFileId, endpoint, metadata, outputExpiresAfter }: NewBatch, now: number) {
  const batch: BatchObject = {
    id: newPrefixedId('batch'),
    object: 'batch',
    endpoint,
    errors: null,
    input_file_id: inputFileId,
    completion_window: '24h',
    status: 'validating',
    output_file_id: null,
    error_file_id: null,
    created_at: now,
    in_progress_at: null,
    expires_at: now + WINDOW_S,
    finalizing_at: null,
    completed_at: null,
    failed_at: null,
    expired_at: null,
    cancelling_at: null,
    cancelled_at: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata,
  };
  return { owner: owner.id, key: owner.key, outputId: newFileId(), errorId: newFileId(), outputExpiresAfter, batch };
}

function fail(id: string): never {
  throw new Error(`there is no batch ${id}`);
}

/** 409: a batch needs the file. */
function fileInUse(id: string): ApiError {
  return new ApiError({
    status: 409,
    type: 'invalid_request_error',
    code: 'file_in_use',
    param: 'file_id',
    message: `A batch that has not ended needs the file '${id}'. Cancel the batch first.`,
  });
}
