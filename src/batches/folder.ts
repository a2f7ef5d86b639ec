import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { notSupportedHere } from '../contract/errors.ts';
import { type Log, toLogFields } from '../contract/log.ts';
import { ownFolder } from '../own-folder.ts';
import { createBatches, isHeld, type ServerBatches } from './batches.ts';
import { openFileStore } from './file-store.ts';
import type { BatchGround } from './life.ts';
import { BATCH_LIMITS, type BatchLimits } from './limits.ts';
import { openBatchRecords } from './records.ts';

/** The files and batches in a folder, or the reason why there are none. */
export interface BatchFolder extends AsyncDisposable {
  /** Returns the batches, or throws a 501 `ApiError` with the reason why there are none. */
  get(): ServerBatches;
  /** Runs the batches from now on. */
  start(ground: BatchGround): void;
  /** Returns the number of requests of batches that wait for their answer; 0 without batches. */
  openRequests(): number;
}

export interface BatchFolderOptions {
  /** Null if the server is to have no batches. */
  folder: string | null;
  log: Log;
  /** By default those of every server. */
  limits?: BatchLimits;
  /** Returns the time in seconds since 1970; by default the clock's. */
  now?: () => number;
  /** The interval of the attempts to own a folder that another server owns, in ms. */
  retryMs?: number;
}

const RETRY_MS = 15_000;
const clock = () => Math.floor(Date.now() / 1000);

/**
 * Opens the files and batches in a folder. Never rejects: a folder that can't be used leaves a server without batches. If another server
 * owns the folder, it is opened once that server has ended.
 */
export async function openBatches({
  folder,
  log,
  retryMs = RETRY_MS,
  ...options
}: BatchFolderOptions): Promise<BatchFolder> {
  let opened: Owned | null = null;
  let reason = 'it was started with --no-batches';
  let ground: BatchGround | null = null;
  let timer: NodeJS.Timeout | undefined;
  let attempt: Promise<void> = Promise.resolve();

  const open = async (path: string) => {
    try {
      opened = await openOwned(path, { log, ...options });
      if (ground) opened?.batches.start(ground);
      if (opened) return;
      if (!timer) log.debug('no batches: another server keeps its own in this folder', { folder });
      reason = 'another server of this user keeps its own';
      timer = setTimeout(() => {
        attempt = open(path);
      }, retryMs).unref();
    } catch (error) {
      log.warn('no batches: their folder can not be used', { folder, ...toLogFields(error) });
      reason = 'its folder for them can not be used';
    }
  };
  if (folder !== null) await open(folder);

  return {
    get() {
      if (opened) return opened.batches;
      throw notSupportedHere(`This server keeps no files and runs no batches: ${reason}.`);
    },
    start(given) {
      ground = given;
      opened?.batches.start(given);
    },
    openRequests: () => opened?.batches.openRequests() ?? 0,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await attempt;
      const { batches, release } = opened ?? {};
      opened = null;
      reason = 'it is shutting down';
      await batches?.[Symbol.asyncDispose]();
      release?.();
    },
  };
}

interface Owned {
  batches: ServerBatches;
  release: () => void;
}

/** Opens a folder. Returns null if another server owns it. Throws if it can't be used. */
async function openOwned(
  folder: string,
  { log, limits = BATCH_LIMITS, now = clock }: Omit<BatchFolderOptions, 'folder' | 'retryMs'>,
): Promise<Owned | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const release = ownFolder(folder);
  if (!release) return null;
  try {
    const records = await openBatchRecords(join(folder, 'batches'));
    const held = (id: string) => isHeld(records.all(), id);
    const files = await openFileStore({ folder: join(folder, 'files'), limits, isHeld: held, now });
    return { batches: createBatches({ files, records, limits, now, log }), release };
  } catch (error) {
    release();
    throw error;
  }
}
