import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newPrefixedId } from '../api/generation/ids.ts';
import type { FileObject, NewFile } from '../contract/batches.ts';
import { ApiError } from '../contract/errors.ts';
import { OWNER_ONLY, replaceFile } from '../replace-file.ts';
import { mapLimited } from '../utils/map-limited.ts';
import { sum } from '../utils/sum.ts';
import { type BatchLimits, checkRoom } from './limits.ts';
import { dropTornLine } from './lines.ts';
import { AT_ONCE, readRecords } from './read-records.ts';

/** The files of all owners, in a folder: the text of each file, and a record beside it. */
export interface FileStore {
  /** Stores a file. Throws a 413 `ApiError` at a limit, and a 507 if the disk is full. */
  add(owner: string, file: NewFile): Promise<FileObject>;
  /** The newest first, without those that have expired. */
  list(owner: string): FileObject[];
  find(owner: string, id: string): FileObject | undefined;
  /** Returns the text of a file in pieces. */
  read(id: string): AsyncIterable<string>;
  remove(id: string): Promise<void>;
  /** Returns the path of the text of a file, which may not be there yet. */
  pathOf(id: string): string;
  /**
   * Makes a file of the lines that lie at its path already. A last line that was cut off is left out. Returns null, and
   * deletes the text, if there are none.
   */
  publish(owner: string, id: string, filename: string, expiresAfter: number): Promise<FileObject | null>;
}

interface Entry {
  owner: string;
  file: FileObject;
}

/** What a store of files needs. */
export interface FileStoreOptions {
  folder: string;
  limits: BatchLimits;
  /** True for a file that a batch under way reads or writes. It is not deleted when it expires. */
  isHeld: (id: string) => boolean;
  /** Returns the time in seconds since 1970. */
  now: () => number;
}

/** Returns the id of a new file. */
export function newFileId(): string {
  return newPrefixedId('file');
}

/** Opens the files in a folder, which is made if it is missing. Deletes texts without a record that no batch holds. */
export async function openFileStore({ folder, limits, isHeld, now }: FileStoreOptions): Promise<FileStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pathOf = (id: string) => join(folder, `${id}.jsonl`);
  const recordOf = (id: string) => join(folder, `${id}.json`);
  const entries = await readEntries(folder, isHeld);

  const remove = async (id: string) => {
    entries.delete(id);
    await rm(recordOf(id), { force: true });
    await rm(pathOf(id), { force: true });
  };
  const sweep = () => {
    for (const [id, { file }] of entries) if (file.expires_at <= now() && !isHeld(id)) void remove(id).catch(() => {});
  };
  const keep = async (entry: Entry) => {
    await replaceFile(recordOf(entry.file.id), JSON.stringify(entry), OWNER_ONLY);
    entries.set(entry.file.id, entry);
    return entry.file;
  };
  const stored = (of: Entry[]) => ({ files: of.length, bytes: sum(of.map(({ file }) => file.bytes)) });
  const ownedBy = (owner: string) => [...entries.values()].filter((entry) => entry.owner === owner);
  const find = (owner: string, id: string) => {
    sweep();
    const entry = entries.get(id);
    return entry?.owner === owner ? entry.file : undefined;
  };

  return {
    async add(owner, { filename, bytes, expiresAfter }) {
      sweep();
      checkRoom(bytes.length, stored(ownedBy(owner)), stored([...entries.values()]), limits);
      const id = newFileId();
      try {
        await writeFile(pathOf(id), bytes, { mode: OWNER_ONLY, flush: true });
        const about = { id, filename, bytes: bytes.length, purpose: 'batch' as const };
        return await keep({ owner, file: toFile(about, now(), expiresAfter) });
      } catch (error) {
        await remove(id);
        throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? diskFull() : error;
      }
    },
    list(owner) {
      sweep();
      return ownedBy(owner)
        .map(({ file }) => file)
        .toReversed();
    },
    find,
    read: (id) => createReadStream(pathOf(id), 'utf8'),
    remove,
    pathOf,
    async publish(owner, id, filename, expiresAfter) {
      await dropTornLine(pathOf(id));
      const bytes = await stat(pathOf(id)).then(
        ({ size }) => size,
        () => 0,
      );
      if (bytes > 0)
        return keep({ owner, file: toFile({ id, filename, bytes, purpose: 'batch_output' }, now(), expiresAfter) });
      await remove(id);
      return null;
    },
  };
}

type About = Pick<FileObject, 'id' | 'filename' | 'bytes' | 'purpose'>;

function toFile({ id, filename, bytes, purpose }: About, now: number, expiresAfter: number): FileObject {
  return {
    id,
    object: 'file',
    bytes,
    created_at: now,
    expires_at: now + expiresAfter,
    filename,
    purpose,
    status: 'processed',
  };
}

/** Reads the records in a folder, the oldest first. */
async function readEntries(folder: string, isHeld: (id: string) => boolean): Promise<Map<string, Entry>> {
  const names = await readdir(folder);
  const read = await readRecords<Entry>(folder, names);
  const entries = read.toSorted((a, b) => a.file.created_at - b.file.created_at);
  const byId = new Map(entries.map((entry) => [entry.file.id, entry]));
  const lost = names.filter((name) => {
    const id = name.replace(/\.jsonl$/, '');
    return !name.endsWith('.json') && !byId.has(id) && !isHeld(id);
  });
  await mapLimited(lost, AT_ONCE, (name) => rm(join(folder, name), { force: true }));
  return byId;
}

/** 507: the disk of the server is full. */
function diskFull(): ApiError {
  return new ApiError({
    status: 507,
    type: 'server_error',
    code: 'disk_full',
    param: null,
    message: 'The disk of the server is full: the file was not stored.',
  });
}
