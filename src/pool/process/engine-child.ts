import { type ChildProcess, fork } from 'node:child_process';
import type { CpuLibraries, ToEngineProcess } from '../../engine/node/task.ts';
import { programFile } from '../../package-root.ts';

/**
 * Has glibc ask for huge pages: llama.cpp fills the KV caches with zeros, which takes a third less time with them. Other C
 * libraries ignore it.
 */
const HUGE_PAGES = 'glibc.malloc.hugetlb=1';

/** An engine in native code does not notice that the server has exited. */
const running = new Set<ChildProcess>();

/** A process that waits for its first model, and the libraries that it opens meanwhile; null for none. */
let spare: { child: ChildProcess; libraries: CpuLibraries | null } | undefined;

function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Starts the process of an engine before a model is asked for, so that the first load does not wait for the start.
 *
 * @param libraries what it opens meanwhile; null if the first model may not run on the CPU: a process can open one set of libraries
 */
export function startSpareEngine(libraries: CpuLibraries | null): void {
  if (spare) return;
  const child = forkEngine();
  spare = { child, libraries };
  if (libraries) child.send({ kind: 'open', libraries } satisfies ToEngineProcess, () => {});
}

/**
 * Returns the process that was started ahead, if it lives and has opened no other libraries, else a new one.
 *
 * @param libraries what the model needs; null for those of a GPU
 */
export function takeEngine(libraries: CpuLibraries | null): ChildProcess {
  const ready = spare;
  spare = undefined;
  if (ready?.libraries && ready.libraries.stockKernels !== libraries?.stockKernels) ready.child.kill('SIGKILL');
  else if (ready?.child.connected) return ready.child;
  return forkEngine();
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
