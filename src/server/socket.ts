import { accessSync, chmodSync, constants, lstatSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';

/** The longest path of a Unix socket, in bytes: macOS has room for this many, Linux for four more. */
const LONGEST_PATH_BYTES = 103;

/** The owner and the group of the socket may connect, for example a proxy in the server's group. */
const MODE = 0o660;

/**
 * Removes the file of a Unix socket that a killed server has left behind. Throws if the path is too long, if its folder can't be written
 * to, if a server still listens on the socket, or if the file is not a socket.
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

/** Lets the group of a socket connect to it. The usual umask lets only the owner connect. */
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

/** True unless the socket refuses connections or is gone. A socket that this user may not open counts as in use. */
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
