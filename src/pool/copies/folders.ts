import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { type Log, toLogFields } from '../../contract/log.ts';
import type { Tier } from '../../engine/node/copy-messages.ts';
import { ownFolder } from '../../own-folder.ts';
import type { TierLimits } from './plan.ts';
import { type CopyStore, openCopyStore } from './store.ts';

/** The settings of the store of copies. */
export interface CopySettings {
  /** The folder of the copies on disk. Copies in RAM lie in `MEMORY_FILES`. */
  folder: string;
  /** The most bytes in RAM and on disk; undefined means a share of the free bytes. */
  ram: number | undefined;
  disk: number | undefined;
}

/** The file system in memory of Linux. On other systems all copies are on disk, where the system caches files itself. */
const MEMORY_FILES = '/dev/shm';
const RAM_SHARE = 1 / 8;
/** The share of the free bytes in `MEMORY_FILES`, which may be small in a container and which other programs use too. */
const MEMORY_FILES_SHARE = 1 / 2;
const DISK_SHARE = 1 / 10;
const MOST_DISK_BYTES = 32 * 1024 ** 3;

/**
 * Opens the store of copies in its folders. Returns null, with the reason in the log, if another server owns the folder or it can't be
 * written. Models then work without copies.
 */
export async function openCopies(
  { folder, ...asked }: CopySettings,
  isCurrent: (identity: string) => boolean,
  log: Log,
): Promise<CopyStore | null> {
  let release: (() => void) | null = null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    release = ownFolder(folder);
    if (!release) {
      log.info('no prompts are kept beyond the slots: another server keeps its own in this folder', { folder });
      return null;
    }
    const ram = memoryFolder(folder);
    if (ram !== null) mkdirSync(ram, { recursive: true, mode: 0o700 });
    const folders = foldersIn(folder);
    const most = await mostBytes(folders);
    const limits = { ram: folders.inMemory ? (asked.ram ?? most.ram) : 0, disk: asked.disk ?? most.disk };
    const store = await openCopyStore({ folders, limits, isCurrent, log });
    log.debug('prompts are kept beyond the slots', { folder, limits, held: store.held() });
    const dispose = async () => {
      await store[Symbol.asyncDispose]();
      release?.();
    };
    return { ...store, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    release?.();
    log.warn('no prompts are kept beyond the slots', toLogFields(error));
    return null;
  }
}

/** Returns the folders of the tiers. `inMemory` is false if the RAM tier has no folder in memory that only this user can access. */
export function foldersIn(folder: string): Record<Tier, string> & { inMemory: boolean } {
  const ram = memoryFolder(folder);
  const inMemory = ram !== null && isOwn(ram);
  return { disk: join(folder, 'disk'), ram: inMemory ? ram : join(folder, 'ram'), inMemory };
}

function memoryFolder(folder: string): string | null {
  const uid = process.getuid?.();
  if (process.platform !== 'linux' || uid === undefined) return null;
  return join(MEMORY_FILES, `paddock-${uid}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`);
}

/** True if the folder belongs to this user alone. All users may write to `MEMORY_FILES`, so another user may have made it, or a link. */
function isOwn(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

async function mostBytes(folders: Record<Tier, string>): Promise<TierLimits> {
  const [ram, disk] = await Promise.all([freeBytes(folders.ram), freeBytes(join(folders.disk, '..'))]);
  return {
    ram: Math.floor(Math.min(RAM_SHARE * freemem(), MEMORY_FILES_SHARE * ram)),
    disk: Math.floor(Math.min(DISK_SHARE * disk, MOST_DISK_BYTES)),
  };
}

/** Returns 0 if the folder does not exist. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize;
}
