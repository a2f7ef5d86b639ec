import { type ChildProcess, fork } from 'node:child_process';
import { programFile } from '../../package-root.ts';

/**
 * Has glibc ask for huge pages: llama.cpp fills the KV caches with zeros, which takes a third less time with them. Other C
 * libraries ignore it.
 */
const HUGE_PAGES = 'glibc.malloc.hugetlb=1';

/** An engine in native code does not notice that the server has exited. */
const running = new Set<ChildProcess>();

/** A process that waits for its first model. */
let spare: ChildProcess | undefined;

function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts the process of an engine before a model is asked for, so that the first load does not wait for the start. */
export function startSpareEngine(): void {
  spare ??= forkEngine();
}

/** Returns the process that was started ahead, if it lives, else a new one. */
export function takeEngine(): ChildProcess {
  const ready = spare;
  spare = undefined;
  return ready?.connected ? ready : forkEngine();
}

function forkEngine(): ChildProcess {
  const child = fork(programFile('engine'), {
    // Structured clones: infinite numbers and bytes go through as they are.
    serialization: 'advanced',
    execArgv: [],
    // libuv computes each graph on one of its threads in turn; with a single one the compute stays on its cores.
    env: { GLIBC_TUNABLES: HUGE_PAGES, ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  // Without a listener, an error of a spare process would end the server.
  child.on('error', () => {});
  if (!process.listeners('exit').includes(killAll)) process.on('exit', killAll);
  return child;
}
