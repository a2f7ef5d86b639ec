import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';

/** A holder shows that it lives this often; one that has not for `STALE_MS` is dead, whatever its process id says. */
const HEARTBEAT_MS = 5_000;
const STALE_MS = 60_000;
const POLL_MS = 500;

/** What a lock file says of its holder. */
const holderSchema = v.object({ pid: v.number(), host: v.string(), nonce: v.string() });
type Holder = v.InferOutput<typeof holderSchema>;

/** The locks of this very process, by their paths. */
const held = new Set<string>();

/**
 * Takes a lock between processes, waiting for whoever has it; a dead one's is taken over.
 *
 * @param onWait told once, with the process id of the holder, if there is a wait
 * @returns what gives the lock back
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

/** `torn` is a file whose writer has not come to its end, and may be dead. */
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
  // In a container that was started anew, the dead process had the very id of this one.
  if (holder.pid === process.pid) return !held.has(path);
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

/** Removes a dead one's lock, and never the lock of somebody who took it over a moment before. */
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
