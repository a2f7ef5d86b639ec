import { resolve } from 'node:path';
import type { Log } from '../../core/log.ts';
import type { Catalogue } from '../../core/model.ts';
import type { ModelSource } from '../../engine/engine.ts';
import { type Problem, problemKey } from '../problem.ts';
import { openHeaderCache } from './header-cache.ts';
import { createScanner, type Scan } from './scan.ts';
import { watchFolders } from './watch.ts';

export interface FileCatalogue extends Catalogue {
  /**
   * Where a model lies and what it is for; undefined for an unknown id. It is the same object for as long as the files
   * are the same: another one tells that a model that was loaded of the first is out of date.
   */
  sourceOf(id: string): ModelSource | undefined;
  /** Looks at the folders anew, so that all that was in them when this was called is in the lists afterwards. */
  refresh(): Promise<void>;
}

/**
 * The models in some folders and the folders in them: every `*.gguf`, split files taken together, with what a
 * `model.json` beside it says. Of models with one id, that of the first folder counts. What is wrong in the folders
 * is told in the log and left out.
 *
 * @param cacheFile where to keep what long headers say, for the next start; absent, nothing is kept
 */
export async function readCatalogue(folders: string[], log: Log, cacheFile?: string): Promise<FileCatalogue> {
  return (await startCatalogue(folders, log, cacheFile)).catalogue;
}

/** As `readCatalogue`, and kept up to date as files come and go, until it is disposed of. */
export async function openCatalogue(
  folders: string[],
  log: Log,
  cacheFile?: string,
): Promise<FileCatalogue & AsyncDisposable> {
  const { catalogue, look } = await startCatalogue(folders, log, cacheFile);
  const watcher = watchFolders(
    folders.map((folder) => resolve(folder)),
    look,
    log,
  );
  return { ...catalogue, [Symbol.asyncDispose]: () => watcher[Symbol.asyncDispose]() };
}

/** `look` refreshes the catalogue and gives the folders that it found. */
async function startCatalogue(folders: string[], log: Log, cacheFile: string | undefined) {
  const cache = await openHeaderCache(cacheFile);
  const scan = createScanner(
    folders.map((folder) => resolve(folder)),
    cache,
  );
  let last = await scan();
  reportProblems(last.problems, [], log);
  const look = oneAfterAnother(async () => {
    const next = await scan();
    const before = last;
    last = next;
    reportProblems(next.problems, before.problems, log);
    reportChange(before.entries, next.entries, log);
    return next.folders;
  });
  const catalogue: FileCatalogue = {
    list: () => [...last.entries.values()].map(({ card }) => card),
    find: (id) => last.entries.get(id)?.card,
    sourceOf: (id) => last.entries.get(id)?.source,
    refresh: async () => void (await look()),
  };
  return { catalogue, look };
}

/** Each problem is told once, and again after it was gone. */
function reportProblems(problems: Problem[], told: Problem[], log: Log): void {
  const known = new Set(told.map(problemKey));
  for (const problem of problems.filter((problem) => !known.has(problemKey(problem)))) {
    const { message, sizes, ...fields } = problem;
    log.warn(message, { ...fields, ...sizes });
  }
}

function reportChange(before: Scan['entries'], after: Scan['entries'], log: Log): void {
  const added = [...after.keys()].filter((id) => !before.has(id));
  const removed = [...before.keys()].filter((id) => !after.has(id));
  const changed = [...after].filter(([id, entry]) => before.has(id) && before.get(id) !== entry).map(([id]) => id);
  if (added.length + removed.length + changed.length === 0) return;
  log.info('the models have changed', { added, removed, changed });
}

/** A call while a run goes on starts another one after it, which all such calls share. */
function oneAfterAnother<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        const current = run();
        running = current;
        return current;
      });
    return next;
  };
}
