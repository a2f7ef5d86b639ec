import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { BackendName, EngineInfo } from '../../contract/engine-info.ts';
import { type Log, toLogFields } from '../../contract/log.ts';
import type { EngineOptions } from '../../engine/engine.ts';
import { nodePort } from '../../engine/node/port.ts';
import type { WorkerConfig, WorkerLogLine, WorkerTask } from '../../engine/node/task.ts';
import { compileRuntime } from '../../engine/wasm/node/runtime.ts';
import { programFile } from '../../package-root.ts';
import { createAffinityBalancer } from '../affinity.ts';
import { createCircuitBreaker } from '../circuit-breaker.ts';
import type { ModelWorkers } from '../model-workers.ts';
import { EngineDied } from '../process/engine-died.ts';
import { collectGarbage } from './collect-garbage.ts';
import { THREAD_FLAGS } from './thread-flags.ts';

const WORKER_FILE = programFile('inference').href;

/**
 * Holds a model in `threads` worker threads with a WebAssembly engine each, of which one runs `slots` generations at once. When
 * threads die in a row, `ready` refuses for a time, with the reason.
 */
export function startModelThreads(config: WorkerConfig, threads: number, slots: number, log: Log): ModelWorkers {
  const balance = createAffinityBalancer(slots);
  const breaker = createCircuitBreaker(() => performance.now());
  const piscina = new Piscina({
    filename: WORKER_FILE,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: slots,
    // By default, an idle thread sleeps in Atomics.wait, which also stops the engine's own event loop.
    atomics: 'disabled',
    loadBalancer: (task, workers) => balance(conversationOf(task), workers),
    workerData: config,
    execArgv: THREAD_FLAGS,
  });
  piscina.on('message', ({ level, message, fields }: WorkerLogLine) => log[level](message, fields));
  piscina.on('error', (error: unknown) => log.error('worker thread failed', toLogFields(error)));

  return {
    async load() {
      await compileRuntime();
      return piscina.run({ kind: 'load' } satisfies WorkerTask);
    },

    // Piscina replaces a dead thread by itself, however often.
    ready: async () => breaker.check(),

    // A call is cancelled over its port: piscina's own abort would kill the thread, and all other calls in it.
    async run(conversation, { requestId }, open) {
      const { port1, port2 } = new MessageChannel();
      const { done, fail } = open(nodePort(port1));
      const served = piscina
        .run(withConversation({ kind: 'serve', port: port2 }, conversation), { transferList: [port2] })
        .then(() => breaker.noteSuccess())
        .catch((error: unknown) => {
          breaker.noteDeath();
          log.error('worker thread lost a request', { requestId, ...toLogFields(error) });
          fail(new EngineDied(`the worker thread died: ${String(toLogFields(error).error)}`, false));
        });
      try {
        await done;
      } finally {
        await served;
      }
    },

    pids: () => [],

    async [Symbol.asyncDispose]() {
      await piscina.destroy();
      collectGarbage();
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
