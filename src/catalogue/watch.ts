import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { sep } from 'node:path';
import { watch } from 'chokidar';
import type { Log } from '../core/log.ts';
import { isHidden, isRead } from './folder.ts';
import { messageOf } from './problem.ts';

/** Time without any change after which the folders are looked at, in ms. */
const QUIET = 200;
/** The longest time that changes may keep it waiting, in ms. */
const PATIENCE = 2000;
/** How often to look whether a folder itself has come or gone, in ms. */
const FOLDER_INTERVAL = 1000;

/** Calls `refresh` after something has changed in the folders, and once when the watch begins. */
export function watchFolders(folders: string[], refresh: () => Promise<void>, log: Log): AsyncDisposable {
  let timer: NodeJS.Timeout | undefined;
  let waitingSince = 0;

  const look = () => {
    timer = undefined;
    refresh().catch((error: unknown) => log.error('the catalogue could not be read', { reason: messageOf(error) }));
  };
  const lookSoon = () => {
    if (timer) clearTimeout(timer);
    else waitingSince = Date.now();
    timer = setTimeout(look, Math.min(QUIET, Math.max(0, waitingSince + PATIENCE - Date.now())));
  };

  const watcher = watch(folders, {
    ignoreInitial: true,
    ignored: (path, stats) => {
      const root = folders.find((folder) => path.startsWith(folder + sep));
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

  // chokidar does not see a folder come whose parent is missing too, nor come again.
  const watchAnew = (folder: string) => (now: Stats, before: Stats) => {
    if (now.ino !== before.ino) watcher.unwatch(folder).add(folder);
    lookSoon();
  };
  for (const folder of folders) watchFile(folder, { persistent: false, interval: FOLDER_INTERVAL }, watchAnew(folder));

  return {
    async [Symbol.asyncDispose]() {
      for (const folder of folders) unwatchFile(folder);
      await watcher.close();
      clearTimeout(timer);
    },
  };
}
