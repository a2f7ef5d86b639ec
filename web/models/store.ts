import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { BrowserModel, StoredFile } from '../protocol.ts';
import { findFile, findFolder, makeFolder, removeFrom, rename, writeWhole } from './folder.ts';

// paddock/models/<name>-<id>-<version>/ in the origin's private file system holds the files of one model. An incomplete
// file has `.part` at the end of its name. `model.json` (a `BrowserModel`) is written last: a folder without it is an
// unfinished pull, which the next pull of the same files continues.

const MODELS = ['paddock', 'models'];
const DESCRIPTION = 'model.json';
const PART = '.part';

/** The name of a model's folder. */
export type FolderName = string;

export interface StoredModel {
  folder: FolderName;
  model: BrowserModel;
}

/**
 * Returns the prefix of the names of all folders with this model id, whatever their files are. The model's lock has it
 * in its name too.
 */
export function folderPrefix(id: string): string {
  const legible = id.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 80);
  return `${legible}-${digest(id, 12)}`;
}

/** Returns the folder of a model with exactly these files. */
export function modelFolderName(id: string, identity: string): FolderName {
  return `${folderPrefix(id)}-${digest(identity, 16)}`;
}

/** Returns the `folderPrefix` in a folder's name. */
export function prefixOfFolder(folder: FolderName): string {
  return folder.slice(0, folder.lastIndexOf('-'));
}

function digest(text: string, length: number): string {
  return bytesToHex(sha256(new TextEncoder().encode(text))).slice(0, length);
}

/** Lists all folders, unfinished ones included. */
export async function listFolders(): Promise<FolderName[]> {
  const names: FolderName[] = [];
  for await (const entry of (await findFolder(MODELS))?.values() ?? []) {
    if (entry.kind === 'directory') names.push(entry.name);
  }
  return names;
}

/** Returns the stored models, sorted by id. If two have the same id, it returns the one that was stored last. */
export async function readStored(): Promise<StoredModel[]> {
  const found = await Promise.all((await listFolders()).map(readFolder));
  const models = new Map<string, StoredModel>();
  for (const stored of found.filter((stored) => stored !== null).sort((a, b) => a.time - b.time)) {
    models.set(stored.model.card.id, stored);
  }
  return [...models.values()].sort((a, b) => (a.model.card.id < b.model.card.id ? -1 : 1));
}

async function readFolder(folder: FolderName): Promise<(StoredModel & { time: number }) | null> {
  const model = await readDescription(folder);
  return model && { folder, model: model.value, time: model.time };
}

async function readDescription(name: FolderName): Promise<{ value: BrowserModel; time: number } | null> {
  const folder = await findFolder([...MODELS, name]);
  const file = folder && (await findFile(folder, DESCRIPTION));
  if (!file) return null;
  try {
    const value: unknown = JSON.parse(await file.text());
    return isBrowserModel(value) ? { value, time: file.lastModified } : null;
  } catch {
    // A folder whose description is being removed, or is damaged, counts as unfinished.
    return null;
  }
}

function isBrowserModel(value: unknown): value is BrowserModel {
  const { card, source } = (value ?? {}) as Partial<BrowserModel>;
  return typeof card?.id === 'string' && Array.isArray(source?.files);
}

/** True if the folder holds a model, and all its files have the right lengths. */
export async function isPublished(folder: FolderName): Promise<boolean> {
  const description = await readDescription(folder);
  if (!description) return false;
  const { files, projector } = description.value.source;
  for (const file of projector ? [...files, projector] : files) {
    if (file.place === 'opfs' && (await wholeSize(folder, String(file.path.at(-1)))) !== file.size) return false;
  }
  return true;
}

/** Writes the description of a model into its folder. From then on the folder is a stored model. */
export async function publishFolder(folder: FolderName, model: BrowserModel): Promise<void> {
  await writeWhole(await makeFolder([...MODELS, folder]), DESCRIPTION, JSON.stringify(model));
}

/** Removes a folder. The description goes first, so that a half-removed folder is never read as a model. */
export async function removeFolder(folder: FolderName): Promise<void> {
  const models = await makeFolder(MODELS);
  await removeFrom(await models.getDirectoryHandle(folder, { create: true }), DESCRIPTION);
  await removeFrom(models, folder);
}

/** Removes all folders of a model except `kept`. */
export async function removeOthers(id: string, kept: FolderName | null): Promise<void> {
  const prefix = folderPrefix(id);
  const others = (await listFolders()).filter((folder) => folder !== kept && prefixOfFolder(folder) === prefix);
  for (const folder of others) await removeFolder(folder);
}

/** Lists the folders without a description. */
export async function unfinishedFolders(): Promise<FolderName[]> {
  const finished = await Promise.all((await listFolders()).map(async (name) => [name, await readDescription(name)]));
  return finished.filter(([, description]) => description === null).map(([name]) => String(name));
}

/** Opens the part of a file: its bytes until it is complete. Throws if it is open already. */
export async function openPart(folder: FolderName, name: string): Promise<FileSystemSyncAccessHandle> {
  const place = await makeFolder([...MODELS, folder]);
  return (await place.getFileHandle(name + PART, { create: true })).createSyncAccessHandle();
}

/** Returns the length of a file's part, in bytes; 0 if there is none. */
export async function partSize(folder: FolderName, name: string): Promise<number> {
  return (await sizeOf(folder, name + PART)) ?? 0;
}

/** Returns the length of a complete file, in bytes; null if there is none. */
export function wholeSize(folder: FolderName, name: string): Promise<number | null> {
  return sizeOf(folder, name);
}

async function sizeOf(folder: FolderName, name: string): Promise<number | null> {
  const place = await findFolder([...MODELS, folder]);
  return (place && (await findFile(place, name)))?.size ?? null;
}

/** Renames a part to the file itself. Call it once the part is closed, complete and verified. */
export async function finishPart(folder: FolderName, name: string): Promise<void> {
  await rename(await makeFolder([...MODELS, folder]), name + PART, name);
}

/** Opens a complete file; `stored` is the place from which the engine loads it. Throws if there is none. */
export async function openWhole(folder: FolderName, name: string): Promise<{ file: File; stored: StoredFile }> {
  const file = await (await (await makeFolder([...MODELS, folder])).getFileHandle(name)).getFile();
  return { file, stored: { place: 'opfs', path: [...MODELS, folder, name], size: file.size } };
}
