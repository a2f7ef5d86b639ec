import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FromPrepareThread, PrepareResult, PrepareTask, PrepareThreadData } from '../../engine/node/task.ts';
import { programFile } from '../../package-root.ts';
import { THREAD_FLAGS } from './thread-flags.ts';
import type { Thread } from './threads.ts';

const WORKER_FILE = programFile('prepare');

/** The limits of one task. */
export interface TaskLimits {
  /** The longest time that a thread works on the task, in ms. The start of the thread does not count. */
  timeMs: number;
  /** The most memory of the thread, in MiB. */
  memoryMib: number;
}

/** The error of a task that took longer than `TaskLimits.timeMs`. */
export class TookTooLong extends Error {}

/** A worker thread that prepares requests, one at a time. */
export interface PrepareThread extends Thread {
  /**
   * Runs a task. On an abort of the signal, on `TookTooLong` and on any other error the thread ends, since nothing else stops a running
   * template.
   */
  run(task: PrepareTask, signal: AbortSignal): Promise<PrepareResult>;
}

/** After this time a task is slow, in ms: the engines and the tasks of other threads go before it. */
const SLOW_MS = 200;
/** The priority of a thread with a slow task, as `nice` counts: the thread gets a tenth of the CPU time beside a thread of 0. */
const SLOW_PRIORITY = 10;

/** The listener of the task that runs. */
interface Running {
  done(result: PrepareResult): void;
  fail(error: unknown): void;
}

/**
 * Starts a thread. Calls `onSlow` for each task that becomes slow.
 *
 * @param template a chat template whose format the thread finds before its first task; it has to come with Paddock, since nothing
 *   limits its time
 */
export function startPrepareThread(
  { timeMs, memoryMib }: TaskLimits,
  onSlow: () => void,
  template?: string,
): PrepareThread {
  const worker = new Worker(WORKER_FILE, {
    workerData: { template } satisfies PrepareThreadData,
    resourceLimits: { maxOldGenerationSizeMb: memoryMib },
    execArgv: THREAD_FLAGS,
  });
  let usable = true;
  let running: Running | undefined;
  let start: (systemId: number | null) => void;
  let endEarly: (error: unknown) => void;
  const started = new Promise<number | null>((resolve, reject) => {
    start = resolve;
    endEarly = reject;
  });
  const end = async () => {
    usable = false;
    await worker.terminate();
  };
  const fail = (error: unknown) => {
    usable = false;
    endEarly(error);
    running?.fail(error);
  };
  worker.on('message', (message: FromPrepareThread) => {
    if (message.kind === 'started') start(message.systemId);
    else running?.done(message.result);
  });
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the thread ended')));

  const run = (task: PrepareTask, signal: AbortSignal) =>
    new Promise<PrepareResult>((resolve, reject) => {
      const timers: NodeJS.Timeout[] = [];
      const settle = () => {
        running = undefined;
        for (const timer of timers) clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const stop = (error: unknown) => {
        settle();
        reject(error);
        void end();
      };
      const abort = () => stop(signal.reason);
      const own: Running = {
        done(result) {
          settle();
          resolve(result);
          if (!usable) void end();
        },
        fail: stop,
      };
      const beSlow = (systemId: number | null) => {
        // A lower priority can't be taken back without rights, so this is the thread's last task.
        if (systemId !== null && lowerPriority(systemId)) usable = false;
        onSlow();
      };
      running = own;
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      void started.then((systemId) => {
        if (running !== own) return;
        timers.push(setTimeout(() => stop(new TookTooLong()), timeMs));
        timers.push(setTimeout(() => beSlow(systemId), SLOW_MS));
        worker.postMessage(task);
      });
    });
  return { run, started, isUsable: () => usable, end };
}

/** Lowers the priority of a thread. Returns false if that is not possible. */
function lowerPriority(systemId: number): boolean {
  try {
    setPriority(systemId, SLOW_PRIORITY);
    return true;
  } catch {
    return false;
  }
}
