import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { V8_FLAGS } from '../v8-flags.ts';

/** Relative to the root of the repository, where npm runs its scripts. */
const MAIN = 'dist/programs/paddock.js';

/** A Paddock server in a process of its own. */
export interface RunningServer {
  /** Without a slash at the end. */
  url: string;
  pid: number;
  /** Returns the log so far. */
  log: () => string;
  /** Sends SIGTERM and resolves to the exit code. */
  stop: () => Promise<number | null>;
}

/**
 * Starts the built `paddock serve`, or the one of another `main.js`, on a free port and waits for its ready line.
 * Throws with the log if the server ends first.
 */
export async function startServer(
  args: string[],
  env: Record<string, string> = {},
  main: string = MAIN,
): Promise<RunningServer> {
  // The batches in the home folder of whoever runs the tests are none of the tests'.
  const ownHome = env.PADDOCK_HOME === undefined ? { PADDOCK_NO_BATCHES: 'true' } : {};
  const child = spawn(process.execPath, [...V8_FLAGS, main, 'serve', '--port', '0', ...args], {
    // Without a load balancer there is no reason to wait before the stop.
    env: { ...process.env, PADDOCK_LAME_DUCK: '0', ...ownHome, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = /ready on ((?:https?|unix):\S+)/.exec(line);
      if (ready?.[1]) resolve(ready[1]);
    });
    void exited.then((code) => reject(new Error(`the server ended with code ${code}:\n${log}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    log: () => log,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
