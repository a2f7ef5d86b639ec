import { readFileSync } from 'node:fs';
import type { Config } from '../serve/config/settings.ts';
import { EXIT } from '../serve/errors.ts';

/** Signals of one moment count as one, in ms: Ctrl-C reaches all processes of the terminal, and npm sends it on to this one. */
const ECHO_MS = 500;
/**
 * How long the server may take to free its models once all requests are answered, in ms. Native code may not listen. Copies of what
 * slots hold take at most two seconds, and so do those that go from RAM to disk.
 */
const FREEING_MS = 6000;
const PARENT_CHECK_MS = 500;

/** Why the server leaves: a signal, or the end of the npm that started it. */
export type Farewell = 'SIGINT' | 'SIGTERM' | 'npm is gone';

/** How long the server takes to leave, in ms. */
export interface LeavingTimes {
  /** For running requests. */
  graceMs: number;
  /** For connections that come meanwhile. */
  lameDuckMs: number;
  /** For everything. */
  limitMs: number;
}

/** Whoever sits at the terminal waits for nothing that only balancers need. */
export function leavingTimes(farewell: Farewell, { lameDuck, shutdownGrace }: Config): LeavingTimes {
  const lameDuckMs = farewell === 'SIGTERM' ? lameDuck * 1000 : 0;
  const graceMs = Math.max(shutdownGrace * 1000, lameDuckMs);
  return { graceMs, lameDuckMs, limitMs: graceMs + FREEING_MS };
}

/**
 * Calls `leave` at the first SIGINT or SIGTERM, and when the npm ends that started this server by `npm start`: npm sends its
 * signals to a shell, which does not pass them on, and a server that is left behind keeps the port. Another signal ends the
 * process at once.
 */
export function onFarewell(leave: (farewell: Farewell) => void): void {
  let leftAt: number | null = null;
  const hear = (farewell: Farewell) => {
    const now = performance.now();
    if (leftAt === null) {
      leftAt = now;
      leave(farewell);
    } else if (now - leftAt > ECHO_MS && farewell !== 'npm is gone') process.exit(EXIT.failure);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => hear(signal));
  if (isNpmStart(process.env)) watchNpm(() => hear('npm is gone'));
}

/** Other scripts may mean to leave a server behind. */
function isNpmStart({ npm_lifecycle_event: script, npm_package_name: name }: NodeJS.ProcessEnv): boolean {
  return script === 'start' && name === 'paddock';
}

function watchNpm(onGone: () => void): void {
  const parents = listParents();
  const timer = setInterval(() => {
    if (listParents() === parents) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The process that started this one and, when that is a shell, the one that started the shell. */
function listParents(): string {
  const parent = process.ppid;
  try {
    const [, name = '', parentOfParent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${parent}/stat`, 'utf8')) ?? [];
    return name.endsWith('sh') ? `${parent} ${parentOfParent}` : `${parent}`;
  } catch {
    // Not on Linux, where a shell becomes the one program that it is to start.
    return `${parent}`;
  }
}
