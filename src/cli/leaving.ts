import { readFileSync } from 'node:fs';
import type { Config } from '../serve/config/settings.ts';
import { EXIT } from '../serve/errors.ts';

/**
 * Signals within this time count as one, in ms: Ctrl-C reaches all processes of the terminal, and npm also forwards it
 * to this one.
 */
const ECHO_MS = 500;
/**
 * How long the server may take to free its models after the last reply, in ms. Native code may ignore the request.
 * Writing the prompt caches to RAM takes at most 2 s, and from RAM to disk another 2 s.
 */
const FREEING_MS = 6000;
const PARENT_CHECK_MS = 500;

/** The reason why the server stops: a signal, or the end of the npm that started it. */
export type Farewell = 'SIGINT' | 'SIGTERM' | 'npm is gone';

/** How long the server takes to stop, in ms. */
export interface LeavingTimes {
  /** For running requests. */
  graceMs: number;
  /** For accepting connections although it is stopping. */
  lameDuckMs: number;
  /** For everything. */
  limitMs: number;
}

/** Returns the times of a stop. Only SIGTERM has a lame-duck time, because only load balancers need it. */
export function leavingTimes(farewell: Farewell, { lameDuck, shutdownGrace }: Config): LeavingTimes {
  const lameDuckMs = farewell === 'SIGTERM' ? lameDuck * 1000 : 0;
  const graceMs = Math.max(shutdownGrace * 1000, lameDuckMs);
  return { graceMs, lameDuckMs, limitMs: graceMs + FREEING_MS };
}

/**
 * Calls `leave` at the first SIGINT or SIGTERM, or when the `npm start` that started this server ends: npm sends its
 * signals to a shell that does not forward them, and an orphaned server would keep the port. A second signal ends the
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

/** True if `npm start` started this process. Other scripts may start a server that is to outlive them. */
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

/** Returns the id of the parent process. If the parent is a shell, returns the id of its parent as well. */
function listParents(): string {
  const parent = process.ppid;
  try {
    const [, name = '', parentOfParent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${parent}/stat`, 'utf8')) ?? [];
    return name.endsWith('sh') ? `${parent} ${parentOfParent}` : `${parent}`;
  } catch {
    // There is no /proc outside Linux. A shell elsewhere replaces itself by the one program that it starts.
    return `${parent}`;
  }
}
