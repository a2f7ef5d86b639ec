import { execFile } from 'node:child_process';

/** From the root of the repository, where npm runs its scripts. */
const MAIN = 'dist/src/cli/main.js';

/** Nothing that a test runs takes so long; what hangs is ended. */
const LONGEST_MS = 60_000;

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built `paddock` to its end, without a terminal. `stdin` is its whole standard input. */
export function runCli(args: string[], env: Record<string, string> = {}, stdin = ''): Promise<CliRun> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { env: { ...process.env, ...env }, timeout: LONGEST_MS },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end(stdin);
  });
}
