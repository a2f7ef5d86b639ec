import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));

/**
 * Starts Paddock in a process of its own, by the `node` on the path. The server ends with the process that called this, even
 * if that one crashes.
 *
 * @param {number} port 0 picks a free one
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} `stop` resolves when the process has ended.
 * @throws Error if there is no `node`, or if the server can't start, for example because the port is taken.
 */
export async function startPaddock(port) {
  const child = spawn('node', [SERVER, String(port)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    if (child.connected) child.disconnect();
    return ended;
  };
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    child.once('message', (/** @type {import('./server.mjs').Started} */ started) => {
      if ('url' in started) return resolve(started.url);
      child.disconnect();
      reject(new Error(started.error));
    });
    child.once('error', reject);
    void ended.then(() => reject(new Error(`Paddock's process ended with code ${child.exitCode}`)));
  });
  return { url, stop };
}
