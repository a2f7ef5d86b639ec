import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readGgufHeader } from '../gguf-header.ts';
import { bytesAt } from './download.ts';
import type { RemoteFile } from './remote.ts';

/** A fetched file is not what it should be. The message completes the sentence "<the file> ...". */
export class WrongContent extends Error {
  /** Whether the host may send something better; not where it is the very file that was asked for. */
  readonly hopeful: boolean;

  constructor(message: string, hopeful = true) {
    super(message);
    this.hopeful = hopeful;
  }
}

/**
 * Compares a fetched file with its size and sha256, and its length with what its own header promises.
 *
 * @throws WrongContent
 */
export async function verify({ size, sha256 }: RemoteFile, path: string, signal: AbortSignal): Promise<void> {
  const bytes = await bytesAt(path);
  if (bytes !== size) throw new WrongContent(`has ${bytes} bytes and should have ${size}`);
  if (sha256 !== null) {
    const actual = await hashFile(path, signal);
    if (actual !== sha256) throw new WrongContent(`has the sha256 ${actual} and should have ${sha256}`);
  }
  await checkGguf({ path, size }, sha256 === null);
}

/** Whether the catalogue can read it, and it has all the data that its header promises. */
async function checkGguf(file: { path: string; size: number }, hopeful: boolean): Promise<void> {
  try {
    await readGgufHeader(file);
  } catch (error) {
    if (!(error instanceof Error) || 'code' in error) throw error;
    throw new WrongContent(`can not be served: ${error.message}`, hopeful);
  }
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) hash.update(piece);
  return hash.digest('hex');
}
