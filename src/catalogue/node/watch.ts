import { existsSync, type FSWatcher, watch } from 'node:fs';
import type { Log } from '../../core/log.ts';
import type { FoundFolder } from '../found-file.ts';
import { messageOf } from '../problem.ts';
import { isHidden } from './folder.ts';

/** Time without any change after which the folders are looked at, in ms. */
const QUIET = 200;
/** The longest time that changes may keep it waiting, in ms. */
const PATIENCE = 2000;
/** How often to look whether a missing folder has come, in ms. */
const ROOT_INTERVAL = 1000;
/** How often to look at all of them although nothing was heard, in ms: some file systems tell of no changes. */
const LOOK_INTERVAL = 60_000;

/**
 * Looks after something has changed in the folders, and once when the watch begins. `look` gives all folders that it
 * found. A folder is watched before it is looked at for the last time, so that nothing falls between the two.
 *
 * @param roots absolute paths, which need not exist yet
 */
export function watchFolders(roots: string[], look: () => Promise<FoundFolder[]>, log: Log): AsyncDisposable {
  const watchers = new Map<string, { stamp: string; watcher: FSWatcher }>();
  /** Folders that can't be watched, which has been told. */
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

  /** Watches these folders and no others. */
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
    // For what came, or went, before it was watched.
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
