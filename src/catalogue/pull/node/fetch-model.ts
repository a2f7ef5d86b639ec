import { rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { PullEvent } from '../../../contract/models/puller.ts';
import { formatBytes } from '../../../utils/bytes.ts';
import { diskFull } from '../errors.ts';
import { fetchModelFile } from '../fetch-file.ts';
import type { PersistOptions } from '../patience.ts';
import { trackProgress } from '../progress.ts';
import type { PullPlan } from '../remote.ts';
import { openDiskPart } from './disk-part.ts';
import { takeLock } from './lock.ts';
import { hasFilesOfPlan, publishWorkspace, readPlace, undoHalfReplaced } from './publish.ts';
import { bytesToFetch, isFetched, openWorkspace, partPath, type Workspace, wholePath } from './workspace.ts';

export interface Folders {
  models: string;
  downloads: string;
}

/**
 * Fetches the files of a plan. Once all are complete and verified, they move into the models folder. Only one process
 * at a time works on a model. `alreadyHere` is true if the model was there before.
 *
 * @throws ApiError
 */
export async function fetchModel(
  plan: PullPlan,
  folders: Folders,
  emit: (event: PullEvent) => void,
  options: PersistOptions,
): Promise<{ alreadyHere: boolean }> {
  const place = join(folders.models, ...plan.folder);
  const folder = join(folders.downloads, encodeURIComponent(plan.id));
  const release = await takeLock(`${folder}.lock`, options.signal, (pid) =>
    emit({ status: 'waiting', reason: `process ${pid} is pulling the same model` }),
  );
  try {
    await undoHalfReplaced(folder, place);
    const before = await readPlace(place, plan);
    if (before && (await hasFilesOfPlan(place, before, plan))) {
      await rm(folder, { recursive: true, force: true });
      return { alreadyHere: true };
    }
    const workspace = await openWorkspace(folder, plan);
    await checkSpace(workspace, plan);
    const report = trackProgress(plan.files, emit);
    for (const [index, file] of plan.files.entries()) {
      const onBytes = (bytes: number) => report(index, bytes);
      if (await isFetched(workspace, file)) {
        onBytes(file.size);
        continue;
      }
      const part = await openDiskPart(partPath(workspace, file));
      try {
        await fetchModelFile(file, part, emit, { ...options, onBytes });
      } finally {
        await part[Symbol.asyncDispose]();
      }
      await rename(partPath(workspace, file), wholePath(workspace, file));
    }
    options.signal.throwIfAborted();
    await publishWorkspace(workspace, place, plan, before);
    return { alreadyHere: false };
  } finally {
    await release();
  }
}

async function checkSpace(workspace: Workspace, plan: PullPlan): Promise<void> {
  const needed = await bytesToFetch(workspace, plan);
  const { bavail, bsize } = await statfs(workspace.folder);
  const free = bavail * bsize;
  if (needed > free)
    throw diskFull(
      `${plan.id} needs ${formatBytes(needed)} more on the disk of the models, which has ${formatBytes(free)} free.`,
    );
}
