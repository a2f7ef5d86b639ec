import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { notSupportedHere } from '../contract/errors.ts';
import { type Log, toLogFields } from '../contract/log.ts';
import { ownFolder } from '../own-folder.ts';
import { createBatches, isHeld, type ServerBatches } from './batches.ts';
import { openFileStore } from './file-store.ts';
import { BATCH_LIMITS, type BatchLimits } from './limits.ts';
import { openBatchRecords } from './records.ts';

/** The files and batches of a server, or the reason why it has none. */
export interface OpenedBatches extends AsyncDisposable {
  /** Null if there are none. */
  batches: ServerBatches | null;
  /** Returns the batches, or throws a 501 `ApiError` with the reason. */
  get: () => ServerBatches;
}

export interface BatchFolderOptions {
  /** Null if the server is to have no batches. */
  folder: string | null;
  log: Log;
  /** By default those of every server. */
  limits?: BatchLimits;
  /** Returns the time in seconds since 1970; by default the clock's. */
  now?: () => number;
}

const clock = () => Math.floor(Date.now() / 1000);

/** Opens the files and batches in a folder. Never rejects: a folder that can't be used leaves a server without batches. */
export async function openBatches({
  folder,
  log,
  limits = BATCH_LIMITS,
  now = clock,
}: BatchFolderOptions): Promise<OpenedBatches> {
  if (folder === null) return without('it was started with --no-batches');
  let release: (() => void) | null = null;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    release = ownFolder(folder);
    if (!release) {
      log.debug('no batches: another server keeps its own in this folder', { folder });
      return without('another server of this user keeps its own');
    }
    const records = await openBatchRecords(join(folder, 'batches'));
    const held = (id: string) => isHeld(records.all(), id);
    const files = await openFileStore({ folder: join(folder, 'files'), limits, isHeld: held, now });
    const batches = createBatches({ files, records, limits, now, log });
    const dispose = async () => {
      await batches[Symbol.asyncDispose]();
      release?.();
      release = null;
    };
    return { batches, get: () => batches, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    release?.();
    log.warn('no batches: their folder can not be used', { folder, ...toLogFields(error) });
    return without('its folder for them can not be written');
  }
}

function without(reason: string): OpenedBatches {
  const refuse = () => {
    throw notSupportedHere(`This server keeps no files and runs no batches: ${reason}.`);
  };
  return { batches: null, get: refuse, [Symbol.asyncDispose]: async () => {} };
}
