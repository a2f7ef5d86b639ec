import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { watch } from 'chokidar';
import type { Log } from '../core/log.ts';
import { isHidden, isRead } from './folder.ts';
import { messageOf } from './problem.ts';

/** Time without any change after which the folders are looked at, in ms. */
const QUIET = 200;
/** The longest time that changes may keep it waiting, in ms. */
const PATIENCE = 2000;
/** How often to look for a folder that is missing, in ms. */
const FOLDER_INTERVAL = 1000;

/**
 * Looks after something has changed in the folders, given by absolute paths, and once when the watch begins. `look`
 * gives all folders that it found.
 */
export function watchFolders(roots: string[], look: () => Promise<string[]>, log: Log): AsyncDisposable {
  let timer: NodeJS.Timeout | undefined;
  let waitingSince = 0;
  /** The folders that were there at the last look. */
  let found: string[] = [];

  const lookSoon = () => {
    if (timer) clearTimeout(timer);
    else waitingSince = Date.now();
    timer = setTimeout(lookNow, Math.min(QUIET, Math.max(0, waitingSince + PATIENCE - Date.now())));
  };
  const lookNow = async () => {
    timer = undefined;
    try {
      found = await look();
      watchAll();
    } catch (error) {
      log.error('the catalogue could not be read', { reason: messageOf(error) });
    }
  };

  const watcher = watch(roots, {
    ignoreInitial: true,
    ignored: (path, stats) => {
      const root = roots.find((root) => path.startsWith(root + sep));
      if (root === undefined) return false;
      const names = path.slice(root.length + 1).split(sep);
      return names.some(isHidden) || (stats?.isFile() === true && !isRead(names.at(-1) ?? ''));
    },
  });
  watcher.on('all', lookSoon);
  // Files that came between the first look and now.
  watcher.on('ready', lookSoon);
  watcher.on('error', (error: unknown) =>
    log.warn('the models folders are not watched as they should be', { reason: messageOf(error) }),
  );

  // chokidar watches no folder that is missing, none that has gone and comes again, and not all that come as it starts.
  const watchAll = () => {
    const watched = watcher.getWatched();
    for (const folder of new Set([...roots, ...found])) {
      if (folder in watched) continue;
      const exists = existsSync(folder);
      if (exists) watcher.add(folder);
      if (exists || found.includes(folder)) lookSoon();
    }
  };
  const watching = setInterval(watchAll, FOLDER_INTERVAL);

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(watching);
      await watcher.close();
      clearTimeout(timer);
    },
  };
}
