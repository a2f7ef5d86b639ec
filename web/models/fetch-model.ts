import { downloadFailed, placeTaken } from '../../src/catalogue/pull/errors.ts';
import { fetchModelFile } from '../../src/catalogue/pull/fetch-file.ts';
import type { PersistOptions } from '../../src/catalogue/pull/patience.ts';
import { trackProgress } from '../../src/catalogue/pull/progress.ts';
import { fileIdentityOf, type PullPlan, type RemoteFile } from '../../src/catalogue/pull/remote.ts';
import type { PullEvent } from '../../src/contract/models/puller.ts';
import { blobBytes } from '../../src/gguf/blob-bytes.ts';
import { messageOf } from '../../src/utils/error-message.ts';
import type { BrowserModel } from '../protocol.ts';
import { describeFiles } from './describe.ts';
import { checkLoadable } from './loadable.ts';
import { withModelLock } from './model-lock.ts';
import { createPrivatePart } from './private-part.ts';
import { ensureStorageSpace } from './room.ts';
import {
  type FolderName,
  finishPart,
  isPublished,
  modelFolderName,
  openPart,
  openWhole,
  partSize,
  publishFolder,
  readStored,
  removeOthers,
  wholeSize,
} from './store.ts';

/**
 * Fetches the files of a plan and stores them as a model once all are complete and verified. Continues an interrupted
 * pull of the same files. `alreadyHere` is true if the model was stored before.
 *
 * @throws ApiError
 */
export function fetchModel(
  plan: PullPlan,
  emit: (event: PullEvent) => void,
  options: PersistOptions,
): Promise<{ alreadyHere: boolean }> {
  return withModelLock(plan.id, emit, options.signal, async () => {
    const folder = modelFolderName(plan.id, identity(plan));
    if (await isPublished(folder)) return { alreadyHere: true };
    await checkPlace(plan.id);
    await checkLoadable(
      plan.id,
      plan.files.reduce((sum, { size }) => sum + size, 0),
    );
    await ensureStorageSpace(plan.id, await bytesToFetch(folder, plan));
    const report = trackProgress(plan.files, emit);
    for (const [index, file] of plan.files.entries()) {
      const onBytes = (bytes: number) => report(index, bytes);
      if ((await wholeSize(folder, file.name)) === file.size) onBytes(file.size);
      else await fetchInto(folder, file, emit, { ...options, onBytes });
    }
    options.signal.throwIfAborted();
    await publishFolder(folder, await describe(folder, plan));
    await removeOthers(plan.id, folder);
    return { alreadyHere: false };
  });
}

/** Throws an `ApiError` if the model was imported: a pull would replace it, and it can't be fetched again. */
async function checkPlace(id: string): Promise<void> {
  const stored = (await readStored()).find(({ model }) => model.card.id === id);
  if (stored?.model.card.sources.every(({ url }) => url === ''))
    throw placeTaken(`There is an imported model ${id}. Remove it first.`);
}

/** Returns a text that is equal for equal files. It is unique if nothing is known that identifies a file. */
function identity({ files }: PullPlan): string {
  const known = files
    .map(fileIdentityOf)
    .map(({ name, url, size, sha256, validator }) => [name, size, sha256 ?? [url, validator ?? crypto.randomUUID()]]);
  return JSON.stringify(known);
}

async function bytesToFetch(folder: FolderName, { files }: PullPlan): Promise<number> {
  let missing = 0;
  for (const { name, size } of files) {
    if ((await wholeSize(folder, name)) !== size) missing += Math.max(0, size - (await partSize(folder, name)));
  }
  return missing;
}

async function fetchInto(
  folder: FolderName,
  file: RemoteFile,
  emit: (event: PullEvent) => void,
  options: Parameters<typeof fetchModelFile>[3],
): Promise<void> {
  const part = createPrivatePart(await openPart(folder, file.name), file.sha256 !== null);
  try {
    await fetchModelFile(file, part, emit, options);
  } finally {
    part.close();
  }
  await finishPart(folder, file.name);
}

async function describe(folder: FolderName, { id, files }: PullPlan): Promise<BrowserModel> {
  const sources = files.map(fileIdentityOf).map(({ name, url, size, sha256 }) => ({
    filename: name,
    url,
    size,
    ...(sha256 !== null && { sha256 }),
  }));
  try {
    const described = files.map(async ({ name }) => {
      const { file, stored } = await openWhole(folder, name);
      return { name, bytes: blobBytes(file), stored, modified: file.lastModified };
    });
    return await describeFiles(id, await Promise.all(described), { sources });
  } catch (error) {
    throw downloadFailed(`${id} can not be served: ${messageOf(error)}.`);
  }
}
