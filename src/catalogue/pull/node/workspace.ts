import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { replaceFile } from '../../../replace-file.ts';
import { type FileIdentity, fileIdentityOf, isSameFile, type PullPlan, type RemoteFile } from '../remote.ts';

/** The folder that gathers one model until it is complete. */
export interface Workspace {
  folder: string;
  /** The folder that will become the model's. Complete files have their final names; the others end in `.part`. */
  model: string;
}

export const fileIdentitySchema = v.object({
  name: v.string(),
  url: v.string(),
  size: v.number(),
  sha256: v.nullable(v.string()),
  validator: v.nullable(v.string()),
});

const journalSchema = v.object({ files: v.array(fileIdentitySchema) });

/**
 * Opens the workspace of a model. Files of an earlier pull stay if they belong to exactly the files of this plan.
 * Everything else in it is deleted.
 */
export async function openWorkspace(folder: string, plan: PullPlan): Promise<Workspace> {
  const model = join(folder, 'model');
  await mkdir(model, { recursive: true });
  const journal = join(folder, 'journal.json');
  const known = await readJournal(journal);
  const kept = plan.files
    .filter((file) => known.some((other) => isSameFile(fileIdentityOf(file), other)))
    .flatMap(({ name }) => [name, `${name}.part`]);
  for (const name of await readdir(model)) {
    if (!kept.includes(name)) await rm(join(model, name), { recursive: true, force: true });
  }
  await replaceFile(journal, JSON.stringify({ files: plan.files.map(fileIdentityOf) }));
  return { folder, model };
}

async function readJournal(path: string): Promise<FileIdentity[]> {
  try {
    return v.parse(journalSchema, JSON.parse(await readFile(path, 'utf8'))).files;
  } catch {
    // Without a complete journal, the files can't be assigned to a plan.
    return [];
  }
}

/** Returns the path of a file while it is being fetched. Its length is how far the pull has come. */
export function partPath({ model }: Workspace, { name }: RemoteFile): string {
  return join(model, `${name}.part`);
}

/**
 * Returns the path of a file once it has been fetched and verified. It lies in the workspace until the whole model is
 * there.
 */
export function wholePath({ model }: Workspace, { name }: RemoteFile): string {
  return join(model, name);
}

/** Returns the length of a file in bytes; 0 if it does not exist. */
export async function bytesAt(path: string): Promise<number> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.size ?? 0;
}

/** True if the file has been fetched and verified. */
export async function isFetched(workspace: Workspace, file: RemoteFile): Promise<boolean> {
  return (await bytesAt(wholePath(workspace, file))) === file.size;
}

/** Returns how many bytes of the plan are still to be fetched. */
export async function bytesToFetch(workspace: Workspace, { files }: PullPlan): Promise<number> {
  let missing = 0;
  for (const file of files) {
    if (!(await isFetched(workspace, file))) missing += file.size - (await bytesAt(partPath(workspace, file)));
  }
  return Math.max(missing, 0);
}

/** Returns the folder for unfinished pulls. It must be on the disk of the models, since publishing is a rename. */
export async function findDownloadsFolder(usual: string, modelsFolder: string): Promise<string> {
  await mkdir(modelsFolder, { recursive: true });
  await mkdir(usual, { recursive: true });
  if ((await stat(usual)).dev === (await stat(modelsFolder)).dev) return usual;
  // The catalogue ignores names that begin with a dot.
  const within = join(modelsFolder, '.downloads');
  await mkdir(within, { recursive: true });
  return within;
}
