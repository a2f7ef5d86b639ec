import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';

/**
 * The holder of a lock touches its file at this interval, in ms. If it has not done so for `STALE_MS`, it counts as
 * dead, even if its process id exists.
 */
const HEARTBEAT_MS = 5_000;
const STALE_MS = 60_000;
const POLL_MS = 500;

/** The content of a lock file: who holds the lock. */
const holderSchema = v.object({ pid: v.number(), host: v.string(), nonce: v.string() });
type Holder = v.InferOutput<typeof holderSchema>;

/** The paths of the locks that this process holds. */
const held = new Set<string>();

/**
 * Takes a lock that processes share. Waits while another process has it. If the holder is dead, takes the lock over.
 * Throws the reason of the signal if it aborts, and the error of the file system if the lock's file can't be written.
 *
 * @param onWait called once, with the holder's process id, if there is a wait
 * @returns a function that releases the lock
 */
export async function takeLock(
  path: string,
  signal: AbortSignal,
  onWait: (pid: number) => void,
): Promise<() => Promise<void>> {
  let waited = false;
  while (!(await create(path))) {
    signal.throwIfAborted();
    const holder = await readHolder(path);
    if (holder === 'gone') continue;
    if (await isDead(path, holder)) {
      await discard(path, holder);
      continue;
    }
    if (!waited && holder !== 'torn') onWait(holder.pid);
    waited = true;
    await sleep(POLL_MS, undefined, { signal });
  }
  held.add(path);
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), HEARTBEAT_MS);
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    held.delete(path);
    await rm(path, { force: true });
  };
}

async function create(path: string): Promise<boolean> {
  const holder: Holder = { pid: process.pid, host: hostname(), nonce: randomUUID() };
  try {
    await writeFile(path, JSON.stringify(holder), { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** 'torn' means that the file is incomplete: its writer is still writing, or dead. */
async function readHolder(path: string): Promise<Holder | 'torn' | 'gone'> {
  try {
    return v.parse(holderSchema, JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    return hasCode(error, 'ENOENT') ? 'gone' : 'torn';
  }
}

async function isDead(path: string, holder: Holder | 'torn'): Promise<boolean> {
  const silentSince = await stat(path)
    .then(({ mtimeMs }) => mtimeMs)
    .catch(() => Date.now());
  if (Date.now() - silentSince > STALE_MS) return true;
  if (holder === 'torn' || holder.host !== hostname()) return false;
  // After a container restarts, the dead process may have had the same id as this one.
  if (holder.pid === process.pid) return !held.has(path);
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

/** Removes the lock of a dead process. If another process took it over a moment ago, that lock is put back. */
async function discard(path: string, dead: Holder | 'torn'): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const taken = await readHolder(aside);
  if (JSON.stringify(taken) === JSON.stringify(dead)) await rm(aside, { force: true });
  else await rename(aside, path);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
