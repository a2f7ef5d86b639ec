import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type RunningServer, startServer } from './servers/server.ts';

/** From the root of the repository, where npm runs its scripts. */
const MAIN = 'dist/src/cli/main.js';

/** Nothing that a test runs takes so long; what hangs is ended. */
const LONGEST_MS = 60_000;

/** A port that nobody listens on, so that no server of this machine gets into the tests. */
const NOBODY = '1';

/** The key of the servers that tests start beside the commands. */
export const SERVER_KEY = 'secret';

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** The built `paddock` in a home of its own, which holds the test models. */
export interface TestCli {
  home: string;
  /** Runs a command to its end, without a terminal. `stdin` is its whole standard input. */
  run(args: string[], options?: { env?: Record<string, string>; stdin?: string }): Promise<CliRun>;
  /** Serves the home's models, for those who send `SERVER_KEY`, until `close`. */
  startServer(): Promise<RunningServer>;
  close(): Promise<void>;
}

export async function openCli(): Promise<TestCli> {
  const home = await mkdtemp(join(tmpdir(), 'paddock-cli-'));
  await cp(inject('modelsFolder'), join(home, 'models'), { recursive: true });
  const ownEnv = { PADDOCK_HOME: home, PADDOCK_PORT: NOBODY, PADDOCK_THREADS: '1', PADDOCK_BACKEND: 'cpu' };
  const servers: RunningServer[] = [];
  return {
    home,
    run: (args, { env = {}, stdin = '' } = {}) => runCli(args, { ...ownEnv, ...env }, stdin),
    async startServer() {
      const env = { ...ownEnv, PADDOCK_API_KEYS: SERVER_KEY, PADDOCK_LOG_LEVEL: 'silent' };
      const server = await startServer([], env);
      servers.push(server);
      return server;
    },
    async close() {
      for (const server of servers) await server.stop();
      await rm(home, { recursive: true });
    },
  };
}

function runCli(args: string[], env: Record<string, string>, stdin: string): Promise<CliRun> {
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
