import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tier } from '../../engine/node/copy-messages.ts';
import { type CopyRecord, isIntact, readRecord, seal } from './copy-file.ts';
import type { Copy } from './plan.ts';

type Place = Pick<Copy, 'identity' | 'name' | 'tier'>;

/** The files of a store's copies. Each lies in the folder of its tier, in a subfolder for its identity. */
export interface StoreFiles {
  /** Returns the path of a complete copy. */
  path(copy: Place): string;
  /** Returns the path of a copy that is being written. */
  partPath(copy: Place): string;
  /** Makes the empty file that an engine is to write a copy to. */
  create(copy: Place): Promise<void>;
  /** Adds the record to a written file, before its name says that it is complete. Returns its size in bytes. */
  seal(copy: Place, record: CopyRecord): Promise<number>;
  /** Gives a sealed file the name of a complete copy. */
  publish(copy: Place): Promise<void>;
  readRecord(copy: Place): Promise<CopyRecord | null>;
  isWhole(copy: Place): Promise<boolean>;
  /** Sets the time of a copy's last use to now, for the store that opens the folder next. */
  touch(copy: Place): Promise<void>;
  /** Copies a file from RAM to disk, by way of the unfinished file of `room`. The file in RAM stays. */
  copyToDisk(copy: Copy, room: Place): Promise<void>;
  /** Deletes files. Never rejects: the next store deletes what can't be deleted now. */
  remove(...paths: string[]): Promise<void>;
  /** Resolves when all files that are being deleted are gone, so that their bytes are free. */
  removals(): Promise<unknown>;
  /** Returns the copies that an earlier store left in a tier, and deletes all other files there. */
  takeOver(tier: Tier, isCurrent: (identity: string) => boolean): Promise<Copy[]>;
  /** Deletes all copies in RAM. */
  clearRam(): Promise<void>;
}

const OWNER_ONLY = 0o600;
const FOLDER_OF_OWNER = 0o700;

/** @param folders the folder of each tier, which no other program writes to */
export function createStoreFiles(folders: Record<Tier, string>): StoreFiles {
  const removing = new Set<Promise<void>>();

  const fileOf = ({ identity, name, tier }: Place, ending: 'copy' | 'part') =>
    join(folders[tier], identity, `${name}.${ending}`);
  const path = (copy: Place) => fileOf(copy, 'copy');
  const partPath = (copy: Place) => fileOf(copy, 'part');
  const makeFolder = ({ identity, tier }: Place) =>
    mkdir(join(folders[tier], identity), { recursive: true, mode: FOLDER_OF_OWNER });

  return {
    path,
    partPath,
    async create(copy) {
      await makeFolder(copy);
      // The engine writes over this file and keeps its mode, so other users can't read the state.
      await (await open(partPath(copy), 'w', OWNER_ONLY)).close();
    },
    seal: (copy, record) => seal(partPath(copy), record),
    publish: (copy) => rename(partPath(copy), path(copy)),
    readRecord: (copy) => readRecord(path(copy)),
    isWhole: (copy) => isIntact(path(copy)),
    touch: (copy) => utimes(path(copy), new Date(), new Date()).catch(() => {}),
    async copyToDisk(copy, room) {
      const part = partPath(room);
      await makeFolder(room);
      await copyFile(path(copy), part);
      await chmod(part, OWNER_ONLY);
      await utimes(part, new Date(), new Date(copy.usedAt));
      await rename(part, path({ ...copy, tier: 'disk' }));
    },
    async remove(...paths) {
      const gone = Promise.all(paths.map(remove)).then(() => {
        removing.delete(gone);
      });
      removing.add(gone);
      await gone;
    },
    removals: () => Promise.all(removing),
    async takeOver(tier, isCurrent) {
      const found: Copy[] = [];
      for (const identity of await namesIn(folders[tier])) {
        const folder = join(folders[tier], identity);
        if (isCurrent(identity)) found.push(...(await takeOverFolder(folder, tier, identity)));
        else await rm(folder, { recursive: true, force: true });
      }
      return found;
    },
    clearRam: () => rm(folders.ram, { recursive: true, force: true }),
  };
}

async function takeOverFolder(folder: string, tier: Tier, identity: string): Promise<Copy[]> {
  const found: Copy[] = [];
  for (const file of await namesIn(folder)) {
    const copy = await readCopy(join(folder, file), tier, identity);
    if (copy) found.push(copy);
    else await remove(join(folder, file));
  }
  return found;
}

/** Reads what the table needs to know of a file; null if it is not a copy of this identity. */
async function readCopy(path: string, tier: Tier, identity: string): Promise<Copy | null> {
  const [, name] = /([^/\\]+)\.copy$/.exec(path) ?? [];
  const record = name === undefined ? null : await readRecord(path);
  if (name === undefined || record?.facts.identity !== identity) return null;
  const { size, mtimeMs } = await stat(path);
  return { name, identity, tier, bytes: size, usedAt: mtimeMs, evaluateMs: record.facts.evaluateMs, users: 0 };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function remove(path: string): Promise<void> {
  await rm(path, { force: true, recursive: true }).catch(() => {});
}
