import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { serverError } from '../core/errors.ts';
import { type Log, toLogFields } from '../core/log.ts';
import type { BackendName, EngineInfo } from '../core/runner.ts';
import type { Call, CallContext, Port } from '../core/wire.ts';
import type { EngineOptions } from '../engine/engine.ts';
import { nodePort } from '../engine/node/port.ts';
import type { LoadResult, WorkerConfig, WorkerLogLine, WorkerTask } from '../engine/node/task.ts';
import { compileRuntime } from '../engine/wasm/node/runtime.ts';
import { createAffinityBalancer } from './affinity.ts';

const WORKER_FILE = new URL('../../workers/inference.js', import.meta.url).href;

/** A call that a worker thread serves. */
export interface ThreadCall<E> extends Call<E> {
  /** Resolves when the slot of the call is free again. It never rejects. */
  settled: Promise<void>;
}

/** The worker threads that hold one model. */
export interface ModelThreads extends AsyncDisposable {
  load(): Promise<LoadResult>;
  /**
   * Opens a call on a thread with a free slot; there must be one. The text `conversation` chooses the thread: one that
   * served its beginning is preferred. `open` gets the port to the thread.
   */
  call<E>(conversation: string, { requestId }: CallContext, open: (port: Port) => Call<E>): ThreadCall<E>;
}

/** Starts `threads` worker threads. Each runs `slots` generations at once. A thread that dies is replaced. */
export function startModelThreads(config: WorkerConfig, threads: number, slots: number, log: Log): ModelThreads {
  const balance = createAffinityBalancer(slots);
  const piscina = new Piscina({
    filename: WORKER_FILE,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: slots,
    // By default, an idle thread sleeps in Atomics.wait, which also stops the engine's own event loop.
    atomics: 'disabled',
    loadBalancer: (task, workers) => balance(conversationOf(task), workers),
    workerData: config,
    // Stacks name the lines of the TypeScript sources.
    execArgv: [...process.execArgv, '--enable-source-maps'],
  });
  piscina.on('message', ({ level, message, fields }: WorkerLogLine) => log[level](message, fields));
  piscina.on('error', (error: unknown) => log.error('worker thread failed', toLogFields(error)));

  return {
    async load() {
      if (config.backend === 'wasm') await compileRuntime();
      return piscina.run({ kind: 'load' } satisfies WorkerTask);
    },

    // A call is cancelled over its port. Piscina's own abort would kill the thread, and with it all its other calls.
    call(conversation, { requestId }, open) {
      const { port1, port2 } = new MessageChannel();
      const { events, fail } = open(nodePort(port1));
      const settled = piscina
        .run(withConversation({ kind: 'serve', port: port2 }, conversation), { transferList: [port2] })
        .catch((error: unknown) => {
          log.error('worker thread lost a request', { requestId, ...toLogFields(error) });
          fail(serverError());
        });
      return { events, fail, settled };
    },

    async [Symbol.asyncDispose]() {
      // Killing a thread inside the native addon is not safe, so the engine is unloaded first.
      if (config.backend !== 'wasm') await piscina.run({ kind: 'unload' } satisfies WorkerTask).catch(() => {});
      await piscina.destroy();
    },
  };
}

/**
 * Attaches the conversation to a task for the balancer. Piscina passes only what is under this symbol to the balancer,
 * and does not send it to the thread.
 */
function withConversation(task: WorkerTask, conversation: string): WorkerTask {
  return Object.assign(task, { [Piscina.queueOptionsSymbol]: { conversation } });
}

function conversationOf(task: object): string {
  const options: unknown = Reflect.get(task, Piscina.queueOptionsSymbol);
  return typeof options === 'object' && options && 'conversation' in options ? String(options.conversation) : '';
}

/**
 * Plans the number of threads and of slots in each thread. One native thread serves all slots; a WebAssembly thread has
 * one slot.
 */
export function planThreads(
  backend: BackendName,
  { slots, threads }: Pick<EngineOptions, 'slots' | 'threads'>,
  cores: number,
): { threads: number; slots: number } {
  if (backend !== 'wasm') return { threads: 1, slots };
  return { threads: Math.max(1, Math.min(slots, Math.floor(cores / (threads ?? cores)))), slots: 1 };
}

/** Turns the info of one thread's engine into the info of the whole model. */
export function scaleInfo(info: EngineInfo, threads: number): EngineInfo {
  return { ...info, slots: info.slots * threads };
}
