import { existsSync, type FSWatcher, watch } from 'node:fs';
import type { Log } from '../../contract/log.ts';
import { messageOf } from '../../utils/error-message.ts';
import type { FoundFolder } from '../found-file.ts';
import { isHidden } from './folder.ts';

/** The folders are read once no change has come for this time, in ms. */
const QUIET = 200;
/** If changes keep coming, the folders are read after this time at the latest, in ms. */
const PATIENCE = 2000;
/** The interval at which missing root folders are looked for, in ms. */
const ROOT_INTERVAL = 1000;
/** The interval at which all folders are read without any reported change, in ms: some file systems report none. */
const LOOK_INTERVAL = 60_000;

/**
 * Calls `look` when something has changed in the folders, and once at the beginning. `look` returns all folders that it
 * found. A folder is read once more after its watcher has started, so that no change is missed in between.
 *
 * @param roots absolute paths. They need not exist yet
 */
export function watchFolders(roots: string[], look: () => Promise<FoundFolder[]>, log: Log): AsyncDisposable {
  const watchers = new Map<string, { stamp: string; watcher: FSWatcher }>();
  /** Folders that can't be watched. This has been logged. */
  const unwatchable = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let waitingSince = 0;
  let looking: Promise<void> = Promise.resolve();
  let closed = false;

  const lookSoon = () => {
    if (closed) return;
    if (timer) clearTimeout(timer);
    else waitingSince = Date.now();
    timer = setTimeout(lookNow, Math.min(QUIET, Math.max(0, waitingSince + PATIENCE - Date.now())));
  };
  const lookNow = () => {
    timer = undefined;
    looking = look().then(watchExactly, (error: unknown) =>
      log.error('the catalogue could not be read', { reason: messageOf(error) }),
    );
  };

  /** Starts and stops watchers so that exactly these folders are watched. */
  const watchExactly = (folders: FoundFolder[]) => {
    if (closed) return;
    const wanted = new Map(folders.map(({ path, stamp }) => [path, stamp]));
    for (const [path, { stamp, watcher }] of watchers) {
      if (wanted.get(path) === stamp) wanted.delete(path);
      else {
        watcher.close();
        watchers.delete(path);
      }
    }
    for (const [path, stamp] of wanted) watchFolder(path, stamp);
  };
  const watchFolder = (path: string, stamp: string) => {
    try {
      const watcher = watch(path, (_, name) => {
        if (name === null || !isHidden(name)) lookSoon();
      });
      watcher.on('error', lookSoon);
      watchers.set(path, { stamp, watcher });
    } catch (error) {
      if (unwatchable.has(path)) return;
      if (existsSync(path)) {
        unwatchable.add(path);
        log.warn('a models folder can not be watched', { folder: path, reason: messageOf(error) });
      }
    }
    // Files may have come or gone before the watcher started.
    lookSoon();
  };

  const seekRoots = setInterval(() => {
    if (roots.some((root) => !watchers.has(root) && !unwatchable.has(root) && existsSync(root))) lookSoon();
  }, ROOT_INTERVAL);
  const lookAnyway = setInterval(lookSoon, LOOK_INTERVAL);
  lookSoon();

  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      for (const interval of [seekRoots, lookAnyway]) clearInterval(interval);
      clearTimeout(timer);
      await looking;
      for (const { watcher } of watchers.values()) watcher.close();
    },
  };
}
