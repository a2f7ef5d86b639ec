import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { type FileIdentity, identityOf, isSameFile, type PullPlan, type RemoteFile } from '../remote.ts';

/** Where one model is gathered until it is whole. */
export interface Workspace {
  folder: string;
  /** The folder that becomes the model's: whole files under their names, the others with `.part` at the end. */
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
 * Opens the place where a model is gathered. Of what an earlier pull left there, what belongs to the very files of the
 * plan stays and all else is removed.
 */
export async function openWorkspace(folder: string, plan: PullPlan): Promise<Workspace> {
  const model = join(folder, 'model');
  await mkdir(model, { recursive: true });
  const journal = join(folder, 'journal.json');
  const known = await readJournal(journal);
  const kept = plan.files
    .filter((file) => known.some((other) => isSameFile(identityOf(file), other)))
    .flatMap(({ name }) => [name, `${name}.part`]);
  for (const name of await readdir(model)) {
    if (!kept.includes(name)) await rm(join(model, name), { recursive: true, force: true });
  }
  await writeFile(`${journal}.new`, JSON.stringify({ files: plan.files.map(identityOf) }), { flush: true });
  await rename(`${journal}.new`, journal);
  return { folder, model };
}

async function readJournal(path: string): Promise<FileIdentity[]> {
  try {
    return v.parse(journalSchema, JSON.parse(await readFile(path, 'utf8'))).files;
  } catch {
    // There is none, or it is torn: then nothing that lies there can be told.
    return [];
  }
}

export function partPath({ model }: Workspace, { name }: RemoteFile): string {
  return join(model, `${name}.part`);
}

export function wholePath({ model }: Workspace, { name }: RemoteFile): string {
  return join(model, name);
}

/** The length of a file; 0 for one that is not there. */
export async function bytesAt(path: string): Promise<number> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.size ?? 0;
}

/** Whether a file has been fetched and verified before. */
export async function isWhole(workspace: Workspace, file: RemoteFile): Promise<boolean> {
  return (await bytesAt(wholePath(workspace, file))) === file.size;
}

/** The bytes of a plan that are still to be fetched. */
export async function bytesToFetch(workspace: Workspace, { files }: PullPlan): Promise<number> {
  let missing = 0;
  for (const file of files) {
    if (!(await isWhole(workspace, file))) missing += file.size - (await bytesAt(partPath(workspace, file)));
  }
  return Math.max(missing, 0);
}

/** Where unfinished pulls lie: on the disk of the models in any case, for the last step is a rename. */
export async function findDownloadsFolder(usual: string, modelsFolder: string): Promise<string> {
  await mkdir(modelsFolder, { recursive: true });
  await mkdir(usual, { recursive: true });
  if ((await stat(usual)).dev === (await stat(modelsFolder)).dev) return usual;
  // The catalogue passes over names that begin with a dot.
  const within = join(modelsFolder, '.downloads');
  await mkdir(within, { recursive: true });
  return within;
}
