import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tier } from '../../engine/node/copy-messages.ts';
import { readRecord } from './copy-file.ts';
import { foldersIn } from './folders.ts';

/** A copy in a folder. */
export interface ListedCopy {
  file: string;
  tier: Tier;
  /** The model's id when the copy was made. */
  model: string;
  tokens: number;
  bytes: number;
  /** When it was last written or read, in ms since 1970. */
  usedAt: number;
}

/** Lists the copies of a folder, the latest first. A running server may use them meanwhile. */
export async function listCopies(folder: string): Promise<ListedCopy[]> {
  const folders = foldersIn(folder);
  const listed = await Promise.all((['ram', 'disk'] as const).map((tier) => listTier(folders[tier], tier)));
  return listed.flat().sort((a, b) => b.usedAt - a.usedAt);
}

async function listTier(folder: string, tier: Tier): Promise<ListedCopy[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const files = entries.filter((name) => name.endsWith('.copy')).map((name) => join(folder, name));
  const copies = await Promise.all(files.map((file) => describe(file, tier)));
  return copies.flatMap((copy) => copy ?? []);
}

async function describe(file: string, tier: Tier): Promise<ListedCopy | null> {
  const [record, found] = await Promise.all([readRecord(file), stat(file).catch(() => null)]);
  if (!record || !found) return null;
  const { facts, tokens } = record;
  return { file, tier, model: facts.model, tokens: tokens.length, bytes: found.size, usedAt: found.mtimeMs };
}

/** Deletes copies. A running server notices when it reads a deleted copy, and evaluates the prompt again. */
export async function removeCopies(copies: readonly ListedCopy[]): Promise<void> {
  await Promise.all(copies.map(({ file }) => rm(file, { force: true })));
}
