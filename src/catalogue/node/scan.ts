import { messageOf } from '../../utils/error-message.ts';
import { mapLimited } from '../../utils/map-limited.ts';
import type { ModelEntry } from '../describe.ts';
import type { FoundFile, FoundFolder } from '../found-file.ts';
import type { CatalogueProblem } from '../problem.ts';
import { listFolder, MOST_FILES_AT_ONCE } from './folder.ts';
import type { HeaderCache } from './header-cache.ts';
import { createReaders, type Readers } from './readers.ts';
import { readSubfolder } from './subfolder.ts';

/** The result of scanning the models folders. */
export interface Scan {
  /** All models by id: the models of the first folder, sorted, then the models of the next folder. */
  entries: Map<string, ModelEntry>;
  problems: CatalogueProblem[];
  /** All folders that were read, subfolders included. */
  folders: FoundFolder[];
}

/**
 * Scans models folders. Files that have not changed since the last scan are not read again and keep their entry object.
 */
export function createScanner(folders: string[], cache: HeaderCache): () => Promise<Scan> {
  const readers = createReaders(cache);
  return async () => {
    const entries: Scan['entries'] = new Map();
    const problems: CatalogueProblem[] = [];
    const visited: FoundFolder[] = [];
    for (const folder of folders) {
      const found = await scanFolder(folder, readers);
      problems.push(...found.problems);
      visited.push(...found.folders);
      for (const entry of found.entries.toSorted(byId)) {
        const { id } = entry.card;
        const first = entries.get(id);
        if (first) problems.push(duplicate(entry, first));
        else entries.set(id, entry);
      }
    }
    await readers.finish();
    return { entries, problems, folders: visited };
  };
}

async function scanFolder(root: string, readers: Readers) {
  const problems: CatalogueProblem[] = [];
  const { files, folders } = await listFolder(root).catch((error: NodeJS.ErrnoException) => {
    // A missing folder counts as empty: it is made at the first pull.
    if (error.code !== 'ENOENT') {
      problems.push({ message: 'the models folder can not be read', file: root, reason: messageOf(error) });
    }
    return { files: [], folders: [] };
  });
  await mapLimited(
    files.filter(({ name }) => name.endsWith('.gguf')),
    MOST_FILES_AT_ONCE,
    readers.header,
  );
  const found = await Promise.all([...bySubfolder(files)].map((members) => readSubfolder(members, readers)));
  return {
    entries: found.flatMap(({ entries }) => entries),
    problems: [...problems, ...found.flatMap(({ problems }) => problems)],
    folders,
  };
}

function bySubfolder(files: FoundFile[]): Iterable<FoundFile[]> {
  const folders = new Map<string, FoundFile[]>();
  for (const file of files) {
    const members = folders.get(file.folder);
    if (members) members.push(file);
    else folders.set(file.folder, [file]);
  }
  return folders.values();
}

function byId(a: ModelEntry, b: ModelEntry): number {
  const [idA, idB] = [[a.card.id, a.source.files[0]].join('\n'), [b.card.id, b.source.files[0]].join('\n')];
  return idA < idB ? -1 : 1;
}

function duplicate({ card, source }: ModelEntry, first: ModelEntry): CatalogueProblem {
  const reason = `its id '${card.id}' is that of ${first.source.files[0]}`;
  return { message: 'model skipped', file: String(source.files[0]), reason };
}
