import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The rights of a file that only its owner may read and write. */
export const OWNER_ONLY = 0o600;

/**
 * Writes a whole file, and makes its folder. The text is written to a second file, which is then renamed, so readers find either the old
 * text or the new text. Throws if writing fails; then the old file stays and the second one is deleted. A link stays a link.
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
