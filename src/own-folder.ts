import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** An owner updates the time of its file at this interval, in ms. After four intervals without an update it counts as gone. */
const OWNING_MS = 15_000;

/** The owner files that this process has written. */
const ours = new Set<string>();

/**
 * Makes this process the owner of a folder that exists, by a file `owner` in it. Returns the function that gives the folder up, or null if
 * another process owns it. Throws if the file can't be written.
 */
export function ownFolder(folder: string): (() => void) | null {
  const file = join(folder, 'owner');
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
      // The file was deleted together with the folder's content.
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
 * True if a running process, which may be this one, owns the folder of this file. In a container a server has the same process id at each
 * start, so a file with our process id that we did not write is from an earlier server.
 */
function isOwned(file: string): boolean {
  if (ours.has(file)) return true;
  try {
    if (Date.now() - statSync(file).mtimeMs > 4 * OWNING_MS) return false;
    const [pid, host] = readFileSync(file, 'utf8').split(' ');
    // On another host, the process can't be checked; its recent update must do.
    if (host !== hostname()) return true;
    if (Number(pid) === process.pid) return false;
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
