import { readGgufHeader } from '../../gguf/header.ts';
import type { PartFile } from './part-file.ts';
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
export async function verify({ size, sha256 }: RemoteFile, part: PartFile, signal: AbortSignal): Promise<void> {
  const bytes = await part.size();
  if (bytes !== size) throw new WrongContent(`has ${bytes} bytes and should have ${size}`);
  if (sha256 !== null) {
    const actual = await part.sha256(signal);
    if (actual !== sha256) throw new WrongContent(`has the sha256 ${actual} and should have ${sha256}`);
  }
  await checkGguf(part, size, sha256 === null);
}

/** Whether the catalogue can read it, and it has all the data that its header promises. */
async function checkGguf(part: PartFile, size: number, hopeful: boolean): Promise<void> {
  try {
    await readGgufHeader({ size, read: (offset, length) => part.read(offset, length) });
  } catch (error) {
    if (!(error instanceof Error) || 'code' in error) throw error;
    throw new WrongContent(`can not be served: ${error.message}`, hopeful);
  }
}
