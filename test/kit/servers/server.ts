import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** From the root of the repository, where npm runs its scripts. */
const MAIN = 'dist/src/cli/main.js';

/** A Paddock server of its own, as a user starts it. */
export interface RunningServer {
  /** Without a slash at the end. */
  url: string;
  pid: number;
  /** What it has logged so far. */
  log: () => string;
  /** Asks it to stop and resolves to its exit code. */
  stop: () => Promise<number | null>;
}

/**
 * Starts the built `paddock serve`, or that of another `main.js`, on a free port and waits for its ready line. Throws with its
 * log when it ends before.
 */
export async function startServer(
  args: string[],
  env: Record<string, string> = {},
  main: string = MAIN,
): Promise<RunningServer> {
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...args], {
    // No balancer has to notice that a test's server leaves.
    env: { ...process.env, PADDOCK_LAME_DUCK: '0', ...env },
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
