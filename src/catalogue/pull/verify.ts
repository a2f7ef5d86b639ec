import { readGgufHeader } from '../../gguf/header.ts';
import type { PartFile } from './part-file.ts';
import type { RemoteFile } from './remote.ts';

/** A fetched file has the wrong content. The message completes the sentence "<the file> ...". */
export class WrongContent extends Error {
  /** True if another attempt may give a better file. False if the sha256 proved that this is the requested file. */
  readonly hopeful: boolean;

  constructor(message: string, hopeful = true) {
    super(message);
    this.hopeful = hopeful;
  }
}

/**
 * Checks a fetched file: its size, its sha256, and that it has all the data that its own header promises.
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

/** Checks that the catalogue can read the file, and that it has all the data that its header promises. */
async function checkGguf(part: PartFile, size: number, hopeful: boolean): Promise<void> {
  try {
    await readGgufHeader({ size, read: (offset, length) => part.read(offset, length) });
  } catch (error) {
    if (!(error instanceof Error) || 'code' in error) throw error;
    throw new WrongContent(`can not be served: ${error.message}`, hopeful);
  }
}
