import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts } from '../../test/kit/servers/accepts.ts';
import { freePort } from '../../test/kit/servers/free-port.ts';

const FOLDER = 'deploy/haproxy';
const START_MS = 5000;

/** How the proxy chooses a replica: by the conversation, as in `deploy/haproxy/haproxy.cfg`, or round robin. */
export type Balance = 'conversation' | 'roundrobin';

export interface RunningProxy extends AsyncDisposable {
  /** The URL, without a slash at the end. */
  url: string;
  /** The URL of the statistics. */
  statisticsUrl: string;
  /** Returns the log so far. */
  log(): string;
}

/** Returns the version of the installed HAProxy; null if there is none. */
export function haproxyVersion(): string | null {
  try {
    return /version (\S+)/.exec(execFileSync('haproxy', ['-v'], { encoding: 'utf8' }))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Returns the configuration of deploy/haproxy with other ports and paths, which a test has for itself. */
export function configure(places: {
  port: number;
  statisticsPort: number;
  folder: string;
  servers: number[];
  balance: Balance;
}): string {
  const { port, statisticsPort, folder, servers, balance } = places;
  const shipped = readFileSync(join(FOLDER, 'haproxy.cfg'), 'utf8');
  const changes: [RegExp, string][] = [
    // Only root may switch to another user.
    [/^ {4}user haproxy\n {4}group haproxy\n/m, ''],
    [/^ {4}lua-load .*$/m, `    lua-load ${resolve(FOLDER, 'conversation.lua')}`],
    [/^ {4}stats socket \S+/m, `    stats socket ${join(folder, 'admin.sock')}`],
    [/^ {4}bind :8080$/m, `    bind 127.0.0.1:${port}`],
    [/^ {4}bind 127\.0\.0\.1:8405$/m, `    bind 127.0.0.1:${statisticsPort}`],
    [
      /(?:^ {4}server .*\n?)+/m,
      servers.map((server, index) => `    server replica-${index + 1} 127.0.0.1:${server}\n`).join(''),
    ],
  ];
  if (balance === 'roundrobin')
    changes.push([/^ {4}balance hash .*\n {4}hash-type .*\n {4}hash-balance-factor .*$/m, '    balance roundrobin']);
  return changes.reduce((text, [from, to]) => {
    if (!from.test(text)) throw new Error(`${FOLDER}/haproxy.cfg has nothing like ${from}`);
    return text.replace(from, to);
  }, shipped);
}

/** Checks a configuration with `haproxy -c`. Returns its error message; null if the configuration is valid. */
export function checkConfiguration(text: string): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-haproxy-'));
  try {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, text);
    execFileSync('haproxy', ['-c', '-f', file], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts HAProxy for servers at these ports of this machine. Throws with its output if it does not start. */
export async function startHaproxy(servers: number[], balance: Balance): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-haproxy-'));
  const [port, statisticsPort] = [await freePort(), await freePort()];
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configure({ port, statisticsPort, folder, servers, balance }));
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  const stop = () => end(child, folder);
  const deadline = performance.now() + START_MS;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`HAProxy did not start:\n${log}`);
    }
    await sleep(50);
  }
  const url = `http://127.0.0.1:${port}`;
  return { url, statisticsUrl: `http://127.0.0.1:${statisticsPort}`, log: () => log, [Symbol.asyncDispose]: stop };
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null) {
    const exited = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
}
