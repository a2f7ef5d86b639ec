import { diskFull, placeTaken } from '../../src/catalogue/pull/errors.ts';
import { isGguf, isSafeName, localName, modelIdStemOf, shardsOf } from '../../src/catalogue/pull/names.ts';
import { NoRoom } from '../../src/catalogue/pull/part-file.ts';
import { trackProgress } from '../../src/catalogue/pull/progress.ts';
import { type ApiError, invalidRequest } from '../../src/contract/errors.ts';
import type { ImportedFile } from '../../src/contract/models/importer.ts';
import type { PullEvent } from '../../src/contract/models/puller.ts';
import { blobBytes } from '../../src/gguf/blob-bytes.ts';
import { IncompleteFile } from '../../src/gguf/file-reader.ts';
import { readGgufHeader } from '../../src/gguf/header.ts';
import { formatBytes } from '../../src/utils/bytes.ts';
import { messageOf } from '../../src/utils/error-message.ts';
import type { BrowserModel } from '../protocol.ts';
import { describeFiles } from './describe.ts';
import { checkLoadable } from './loadable.ts';
import { withModelLock } from './model-lock.ts';
import { createPrivatePart, type PrivatePart } from './private-part.ts';
import { ensureStorageSpace, freeBytes } from './room.ts';
import {
  type FolderName,
  finishPart,
  modelFolderName,
  openPart,
  openWhole,
  publishFolder,
  readStored,
  removeFolder,
  removeOthers,
} from './store.ts';

/** The header is parsed after this many bytes, and again each time the number of bytes has doubled. */
const FIRST_LOOK = 64 * 1024;

/**
 * Stores a GGUF file of the user as a model. The model's id is the name of the file, with its folders. A file that is
 * not a complete model is refused as soon as its header shows it, and nothing of it stays stored.
 *
 * @throws ApiError
 */
export async function storeImportedModel(
  { filename, size }: ImportedFile,
  body: ReadableStream<Uint8Array>,
  emit: (event: PullEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const folders = filename.split('/').slice(0, -1);
  const name = localName(filename);
  const id = [...folders, modelIdStemOf(name)].join('/');
  checkName(folders, name);
  await withModelLock(id, emit, signal, async () => {
    if ((await readStored()).some(({ model }) => model.card.id === id))
      throw placeTaken(`There is a model ${id} already. Remove it first, or give the file another name.`);
    const folder = modelFolderName(id, crypto.randomUUID());
    try {
      await gather(body, { folder, name, size }, emit, signal);
      signal.throwIfAborted();
      await publishFolder(folder, await describe(folder, id, name));
    } catch (error) {
      await removeFolder(folder);
      throw error;
    }
    await removeOthers(id, folder);
  });
  emit({ status: 'done', model: id, alreadyHere: false });
}

function checkName(folders: string[], name: string): void {
  if (!isGguf(name) || ![...folders, name].every(isSafeName))
    throw wrongFile(name, 'it must be the name of a .gguf file');
  const parts = shardsOf(name).length;
  if (parts > 1)
    throw wrongFile(name, `it is one of ${parts} parts of a model. Join them with llama-gguf-split, or pull the model`);
}

interface Target {
  folder: FolderName;
  name: string;
  /** In bytes; null while it is not known. */
  size: number | null;
}

/** Writes the body into the folder. Throws an `ApiError` if it is not a complete GGUF, or if the storage is full. */
async function gather(
  body: ReadableStream<Uint8Array>,
  { folder, name, size }: Target,
  emit: (event: PullEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const part = createPrivatePart(await openPart(folder, name), false);
  try {
    const file = { name, size: size ?? 0 };
    const report = trackProgress([file], emit);
    const expect = await expectBytes(name, size);
    let written = 0;
    for await (const piece of readBody(body, name, signal)) {
      await write(part, piece, written, file);
      written += piece.length;
      file.size = Math.max(await expect(part, written), written);
      report(0, written);
    }
    emit({ status: 'verifying', file: name });
    if (size !== null && written !== size) throw wrongFile(name, `only ${written} of its ${size} bytes have come`);
    await readGgufHeader({ size: written, read: part.read }).catch((error: unknown) => {
      throw wrongFile(name, messageOf(error));
    });
    await part.flush();
  } finally {
    part.close();
  }
  await finishPart(folder, name);
}

/**
 * Returns a function that estimates the file's length from the bytes so far, and makes room for it. The length grows as
 * more of the header is known.
 */
async function expectBytes(name: string, size: number | null) {
  let expected = size ?? 0;
  let nextLook = FIRST_LOOK;
  const prepare = async (written: number) => {
    await checkLoadable(name, expected);
    await ensureStorageSpace(name, expected - written);
  };
  await prepare(0);
  return async (part: PrivatePart, written: number): Promise<number> => {
    if (written < nextLook) return expected;
    const promised = await promisedSize(part, name, written);
    nextLook = Math.max(2 * written, promised);
    if (promised > expected) {
      expected = promised;
      await prepare(written);
    }
    return expected;
  };
}

/**
 * Returns the length that the header promises, as far as it has come. Throws an `ApiError` if it is not the header of a
 * GGUF.
 */
async function promisedSize(part: PrivatePart, name: string, written: number): Promise<number> {
  try {
    await readGgufHeader({ size: written, read: part.read });
    return written;
  } catch (error) {
    if (error instanceof IncompleteFile) return error.expected;
    throw wrongFile(name, messageOf(error));
  }
}

async function* readBody(body: ReadableStream<Uint8Array>, name: string, signal: AbortSignal) {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  const read = () =>
    reader.read().catch((error: unknown) => {
      throw wrongFile(name, `it could not be read to its end: ${messageOf(error)}`);
    });
  try {
    signal.throwIfAborted();
    for (let next = await read(); !next.done; next = await read()) yield next.value;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop);
    reader.releaseLock();
  }
}

async function write(
  part: PrivatePart,
  bytes: Uint8Array,
  position: number,
  { name, size }: { name: string; size: number },
): Promise<void> {
  try {
    await part.write(bytes, position);
  } catch (error) {
    if (!(error instanceof NoRoom)) throw error;
    const all = formatBytes(Math.max(size, position + bytes.length));
    throw diskFull(
      `${error.message} after ${formatBytes(position)} of at least ${all} of ${name}; it has ${formatBytes(await freeBytes())} ` +
        'left for this site. Remove models that you no longer need, or free space on the disk.',
    );
  }
}

async function describe(folder: FolderName, id: string, name: string): Promise<BrowserModel> {
  const { file, stored } = await openWhole(folder, name);
  const described = { name, bytes: blobBytes(file), stored, modified: file.lastModified };
  return describeFiles(id, [described], {}).catch((error: unknown) => {
    throw wrongFile(name, messageOf(error));
  });
}

function wrongFile(name: string, reason: string): ApiError {
  return invalidRequest(`${name.slice(0, 200)} can not be imported: ${reason}.`, 'filename', 'invalid_model');
}
