import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem, hostname } from 'node:os';
import { join } from 'node:path';
import { type Log, toLogFields } from '../../contract/log.ts';
import type { Tier } from '../../engine/node/copy-messages.ts';
import type { Limits } from './plan.ts';
import { type CopyStore, openCopyStore } from './store.ts';

export interface CopySettings {
  /** The folder of all copies. Those in RAM lie elsewhere, where the system has files in memory. */
  folder: string;
  /** The most bytes in RAM and on disk; undefined takes a share of what is free. */
  ram: number | undefined;
  disk: number | undefined;
}

/** Linux has a file system in memory there. Elsewhere the disk's files are all there is, and the system caches those. */
const MEMORY_FILES = '/dev/shm';
const RAM_SHARE = 1 / 8;
/** In a container the memory file system may be small, and other programs use it too. */
const MEMORY_FILES_SHARE = 1 / 2;
const DISK_SHARE = 1 / 10;
const MOST_DISK_BYTES = 32 * 1024 ** 3;
/** A server that owns a folder says so this often, in ms. One that has been silent for four times as long is gone. */
const OWNING_MS = 15_000;

/**
 * Opens the store of copies in its folders. Returns null, with the reason in the log, if another server has the folder or it can't be
 * written: then nothing is kept, and all else works.
 */
export async function openCopies(
  { folder, ...asked }: CopySettings,
  isCurrent: (identity: string) => boolean,
  log: Log,
): Promise<CopyStore | null> {
  let release: (() => void) | null = null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    release = own(join(folder, 'owner'));
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

/** The folders of the tiers. `inMemory` is false where there are no files in memory, or none that are this user's alone. */
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

/** Everybody may write beside it: another user may have made the folder, or a link in its place. */
function isOwn(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

async function mostBytes(folders: Record<Tier, string>): Promise<Limits> {
  const [ram, disk] = await Promise.all([freeBytes(folders.ram), freeBytes(join(folders.disk, '..'))]);
  return {
    ram: Math.floor(Math.min(RAM_SHARE * freemem(), MEMORY_FILES_SHARE * ram)),
    disk: Math.floor(Math.min(DISK_SHARE * disk, MOST_DISK_BYTES)),
  };
}

/** 0 where the folder does not exist. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize;
}

/** The files by which this process owns folders. */
const ours = new Set<string>();

/** Makes this server the owner of a folder by a file in it. Returns a function that ends that, or null if another one is the owner. */
function own(file: string): (() => void) | null {
  const sign = `${process.pid} ${hostname()}`;
  try {
    writeFileSync(file, sign, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isOwned(file)) return null;
    rmSync(file, { force: true });
    writeFileSync(file, sign, { flag: 'wx', mode: 0o600 });
  }
  ours.add(file);
  const timer = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // Somebody has cleared the folder.
    }
  }, OWNING_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    ours.delete(file);
    rmSync(file, { force: true });
  };
}

/**
 * True if a server that runs owns the folder of this file, this one included. In a container a server has the same process id each
 * time: a file with our own that we have not written is that of a server before us.
 */
function isOwned(file: string): boolean {
  if (ours.has(file)) return true;
  try {
    if (Date.now() - statSync(file).mtimeMs > 4 * OWNING_MS) return false;
    const [pid, host] = readFileSync(file, 'utf8').split(' ');
    // Of processes elsewhere nothing is known but that they have given a sign.
    if (host !== hostname()) return true;
    if (Number(pid) === process.pid) return false;
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // A process of another user can't be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
