import { resolve } from 'node:path';
import type { Log } from '../../contract/log.ts';
import type { Catalogue } from '../../contract/models/model.ts';
import type { ModelSource } from '../../engine/engine.ts';
import { type CatalogueProblem, problemKey } from '../problem.ts';
import { openHeaderCache } from './header-cache.ts';
import { createScanner, type Scan } from './scan.ts';
import { watchFolders } from './watch.ts';

export interface FileCatalogue extends Catalogue {
  /**
   * Returns a model's files and how to load them; undefined for an unknown id. As long as the files are unchanged, it
   * returns the same object. If it returns another object, a model loaded from the old one is out of date.
   */
  sourceOf(id: string): ModelSource | undefined;
  /** Reads the folders again. Files that exist at the time of the call are in the lists once the promise resolves. */
  refresh(): Promise<void>;
}

/**
 * Reads the models of some folders and their subfolders: every `*.gguf`, with the fields of the `model.json` beside it.
 * The parts of a split GGUF are one model. If several models have the same id, the one in the first folder counts.
 * Problems in the folders are logged, and the files concerned are left out.
 *
 * @param cacheFile keeps long headers for the next start. If it is undefined, nothing is kept
 */
export async function readFileCatalogue(folders: string[], log: Log, cacheFile?: string): Promise<FileCatalogue> {
  return (await startCatalogue(folders, log, cacheFile)).catalogue;
}

/** Does the same as `readFileCatalogue`, then follows the changes of the folders until it is disposed of. */
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

/** `look` refreshes the catalogue and returns the folders that it found. */
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

/** Logs each problem once, and again if it comes back after it was solved. */
function reportProblems(problems: CatalogueProblem[], told: CatalogueProblem[], log: Log): void {
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

/** Runs `run` one call at a time. Calls during a run share one further run after it. */
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
