import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type RunningServer, startServer } from './servers/server.ts';
import { V8_FLAGS } from './v8-flags.ts';

/** Relative to the root of the repository, where npm runs its scripts. */
const MAIN = 'dist/programs/paddock.js';

/** A command that runs longer than this is killed, in ms. */
const LONGEST_MS = 60_000;

/** A port without a server, so that commands do not find a server of this machine. */
const NOBODY = '1';

/** The key of the servers that tests start beside the commands. */
export const SERVER_KEY = 'secret';

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** The built `paddock` in a home folder of its own, which has the test models. */
export interface TestCli {
  home: string;
  /** Runs a command to its end, without a terminal. `stdin` is its whole standard input. */
  run(args: string[], options?: { env?: Record<string, string>; stdin?: string }): Promise<CliRun>;
  /** Serves the models of the home until `close`. Requests need `SERVER_KEY`. */
  startServer(): Promise<RunningServer>;
  close(): Promise<void>;
}

/** Makes a home folder with copies of the test models. `close` stops the servers and removes the folder. */
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
      [...V8_FLAGS, MAIN, ...args],
      { env: { ...process.env, ...env }, timeout: LONGEST_MS },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end(stdin);
  });
}
