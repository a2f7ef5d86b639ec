import { accessSync, chmodSync, constants, lstatSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';

/** The longest path of a Unix socket, in bytes: macOS has room for this many, Linux for four more. */
const LONGEST_PATH_BYTES = 103;

/** Its owner and its group may connect, such as a proxy in the server's group. */
const MODE = 0o660;

/**
 * Makes room for a Unix socket: removes the one that a server which was killed has left behind. Throws if the path is too long,
 * if its folder can't be written to, if a server still listens there, and if something else is there.
 */
export async function clearSocket(path: string): Promise<void> {
  const bytes = Buffer.byteLength(path);
  if (bytes > LONGEST_PATH_BYTES)
    throw new Error(`the path of a socket may have ${LONGEST_PATH_BYTES} bytes, but ${path} has ${bytes}`);
  if (!isWritable(dirname(path)))
    throw new Error(`${dirname(path)}, the folder of --socket, is not there or may not be written to`);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new Error(`${path} is there and is no socket: give --socket another path`);
  if (await isListenedOn(path)) throw new Error(`${path} is in use, perhaps by a Paddock that runs already`);
  rmSync(path, { force: true });
}

/** Lets the group of a socket connect to it. Without that the umask decides, which most often leaves the owner alone. */
export function openToGroup(path: string): void {
  chmodSync(path, MODE);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Only a socket that refuses connections has nobody who listens. One that others own may be in use. */
function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}
