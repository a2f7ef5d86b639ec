import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The rights of a file that only its owner may read and write. */
export const OWNER_ONLY = 0o600;

/**
 * Writes a file as a whole, and makes its folder. The text is written apart and renamed, so whoever reads the file meanwhile finds
 * the old text or the new one. If it fails, the old file stays and nothing else is left behind. A link stays a link.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const target = await realpath(path).catch(() => path);
  await mkdir(dirname(target), { recursive: true });
  const draft = `${target}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { flush: true, ...(mode !== undefined && { mode }) });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
