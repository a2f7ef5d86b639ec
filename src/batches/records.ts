import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchObject } from '../contract/batches.ts';
import { OWNER_ONLY, replaceFile } from '../replace-file.ts';
import { createTurns } from '../utils/turns.ts';
import { readRecords } from './read-records.ts';

/** A batch as it is stored. */
export interface BatchRecord {
  owner: string;
  /** The name of the key that made it; null without a key. */
  key: string | null;
  /** The ids of the files to which results are written, from the first line on. */
  outputId: string;
  errorId: string;
  /** The time after which these files are deleted, in seconds. */
  outputExpiresAfter: number;
  batch: BatchObject;
}

/** The records of all batches, in a folder. */
export interface BatchRecords {
  /** The oldest first. */
  all(): BatchRecord[];
  get(id: string): BatchRecord | undefined;
  add(record: BatchRecord): Promise<void>;
  /** Changes a batch, and resolves when the change is on the disk. The new batch is seen at once. */
  change(id: string, change: Partial<BatchObject>): Promise<void>;
  /** Changes the counts of answered requests, in memory alone: at the next start they are counted anew. */
  count(id: string, counts: { completed: number; failed: number }): void;
  remove(id: string): Promise<void>;
}

/** Opens the records in a folder, which is made if it is missing. */
export async function openBatchRecords(folder: string): Promise<BatchRecords> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const read = await readRecords<BatchRecord>(folder, await readdir(folder));
  const records = new Map(
    read
      .toSorted((a, b) => a.batch.created_at - b.batch.created_at)
      .map((record) => [record.batch.id, record] as const),
  );
  // Two writes of one record must not overtake one another.
  const inTurn = createTurns();
  const pathOf = (id: string) => join(folder, `${id}.json`);
  const write = (record: BatchRecord) => {
    const text = JSON.stringify(record);
    records.set(record.batch.id, record);
    return inTurn(() => replaceFile(pathOf(record.batch.id), text, OWNER_ONLY));
  };

  return {
    all: () => [...records.values()],
    get: (id) => records.get(id),
    add: write,
    async change(id, change) {
      const record = records.get(id);
      if (record) await write({ ...record, batch: { ...record.batch, ...change } });
    },
    count(id, counts) {
      const record = records.get(id);
      if (!record) return;
      const request_counts = { ...record.batch.request_counts, ...counts };
      records.set(id, { ...record, batch: { ...record.batch, request_counts } });
    },
    remove(id) {
      records.delete(id);
      return inTurn(() => rm(pathOf(id), { force: true }));
    },
  };
}
