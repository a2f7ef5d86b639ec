import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { BrowserModel, StoredFile } from '../protocol.ts';
import { findFile, findFolder, makeFolder, removeFrom, rename, writeWhole } from './folder.ts';

// paddock/models/<name>-<id>-<version>/ in the origin's private file system holds one model: its files, those that are
// not whole yet with `.part` at the end, and `model.json` (a `BrowserModel`), which comes last and makes it a model. So
// a pull that ends anywhere leaves nothing torn, and the next one goes on in the same folder.

const MODELS = ['paddock', 'models'];
const DESCRIPTION = 'model.json';
const PART = '.part';

/** A model's folder, by its name. */
export type FolderName = string;

export interface StoredModel {
  folder: FolderName;
  model: BrowserModel;
}

/** The beginning of the names of all folders of a model, whichever files it is made of. Locks are named by it too. */
export function folderPrefix(id: string): string {
  const legible = id.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 80);
  return `${legible}-${digest(id, 12)}`;
}

/** The folder of a model with these very files. */
export function folderOf(id: string, identity: string): FolderName {
  return `${folderPrefix(id)}-${digest(identity, 16)}`;
}

/** The `folderPrefix` of a folder's name. */
export function prefixOf(folder: FolderName): string {
  return folder.slice(0, folder.lastIndexOf('-'));
}

function digest(text: string, length: number): string {
  return bytesToHex(sha256(new TextEncoder().encode(text))).slice(0, length);
}

/** All folders, those of unfinished models too. */
export async function listFolders(): Promise<FolderName[]> {
  const names: FolderName[] = [];
  for await (const entry of (await findFolder(MODELS))?.values() ?? []) {
    if (entry.kind === 'directory') names.push(entry.name);
  }
  return names;
}

/** The stored models, by their ids. Of two with one id it is the one that was stored last. */
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
    // It is being removed just now, or the disk has lost it: then the folder is an unfinished one.
    return null;
  }
}

function isBrowserModel(value: unknown): value is BrowserModel {
  const { card, source } = (value ?? {}) as Partial<BrowserModel>;
  return typeof card?.id === 'string' && Array.isArray(source?.files);
}

/** Says whether the folder holds a model, and all its files have their right lengths. */
export async function isPublished(folder: FolderName): Promise<boolean> {
  const description = await readDescription(folder);
  if (!description) return false;
  const { files, projector } = description.value.source;
  for (const file of projector ? [...files, projector] : files) {
    if (file.place === 'opfs' && (await wholeSize(folder, String(file.path.at(-1)))) !== file.size) return false;
  }
  return true;
}

/** Makes the folder a model. */
export async function publish(folder: FolderName, model: BrowserModel): Promise<void> {
  await writeWhole(await makeFolder([...MODELS, folder]), DESCRIPTION, JSON.stringify(model));
}

/** Removes a folder. It stops being a model first, so that no torn one is ever found. */
export async function removeFolder(folder: FolderName): Promise<void> {
  const models = await makeFolder(MODELS);
  await removeFrom(await models.getDirectoryHandle(folder, { create: true }), DESCRIPTION);
  await removeFrom(models, folder);
}

/** Removes all folders of a model but one. */
export async function removeOthers(id: string, kept: FolderName | null): Promise<void> {
  const prefix = folderPrefix(id);
  const others = (await listFolders()).filter((folder) => folder !== kept && prefixOf(folder) === prefix);
  for (const folder of others) await removeFolder(folder);
}

/** The folders that hold no model yet, or none any more. */
export async function unfinishedFolders(): Promise<FolderName[]> {
  const finished = await Promise.all((await listFolders()).map(async (name) => [name, await readDescription(name)]));
  return finished.filter(([, description]) => description === null).map(([name]) => String(name));
}

/** Opens the part of a file: the file under its name until it is whole. Nobody else can open it until it is closed. */
export async function openPart(folder: FolderName, name: string): Promise<FileSystemSyncAccessHandle> {
  const place = await makeFolder([...MODELS, folder]);
  return (await place.getFileHandle(name + PART, { create: true })).createSyncAccessHandle();
}

/** The length of a file's part in bytes; 0 if there is none. */
export async function partSize(folder: FolderName, name: string): Promise<number> {
  return (await sizeOf(folder, name + PART)) ?? 0;
}

/** The length in bytes of a file that was found whole and right; null if there is none. */
export function wholeSize(folder: FolderName, name: string): Promise<number | null> {
  return sizeOf(folder, name);
}

async function sizeOf(folder: FolderName, name: string): Promise<number | null> {
  const place = await findFolder([...MODELS, folder]);
  return (place && (await findFile(place, name)))?.size ?? null;
}

/** Turns a part into the file itself. Call it once the part is closed, whole and right. */
export async function finishPart(folder: FolderName, name: string): Promise<void> {
  await rename(await makeFolder([...MODELS, folder]), name + PART, name);
}

/** Opens a whole file of a folder; `stored` is its place for the engine. */
export async function openWhole(folder: FolderName, name: string): Promise<{ file: File; stored: StoredFile }> {
  const file = await (await (await makeFolder([...MODELS, folder])).getFileHandle(name)).getFile();
  return { file, stored: { place: 'opfs', path: [...MODELS, folder, name], size: file.size } };
}
