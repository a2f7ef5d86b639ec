import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { serverError } from '../core/errors.ts';
import type { GenerationEvent } from '../core/events.ts';
import type { Log } from '../core/log.ts';
import type { EngineInfo, GenerationRequest } from '../core/runner.ts';
import { callEngine } from '../core/wire.ts';
import { nodePort } from '../engine/node-port.ts';
import type { LoadResult, WorkerConfig, WorkerLogLine, WorkerTask } from '../engine/task.ts';
import { createAffinityBalancer } from './affinity.ts';

const WORKER_FILE = new URL('../../workers/inference.js', import.meta.url).href;

/** The threads that hold one model. */
export interface ModelWorkers extends AsyncDisposable {
  load(): Promise<LoadResult>;
  /** Runs one generation on a thread with a free slot; there must be one. `onSettled` hears when the slot is free again. */
  generate(request: GenerationRequest, signal: AbortSignal, onSettled: () => void): AsyncIterable<GenerationEvent>;
}

/** Starts `threads` worker threads, each of which runs `slots` generations at once. A dead one is replaced. */
export function startModelWorkers(config: WorkerConfig, threads: number, slots: number, log: Log): ModelWorkers {
  const balance = createAffinityBalancer(slots);
  const piscina = new Piscina({
    filename: WORKER_FILE,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: slots,
    // The default sleeps in Atomics.wait while no task comes, and with it the engine's own event loop.
    atomics: 'disabled',
    loadBalancer: (task, workers) => balance(conversationOf(task), workers),
    workerData: config,
  });
  piscina.on('message', ({ level, message, fields }: WorkerLogLine) => log[level](message, fields));
  piscina.on('error', (error: unknown) => log.error('worker thread failed', { error: String(error) }));

  return {
    load: () => piscina.run({ kind: 'load' } satisfies WorkerTask),

    async *generate(request, signal, onSettled) {
      const { port1, port2 } = new MessageChannel();
      const { events, fail } = callEngine(nodePort(port1), request, signal);
      // Not piscina's own signal: it would kill the thread, and every other generation in it.
      const settled = piscina
        .run(withConversation({ kind: 'generate', port: port2 }, request), { transferList: [port2] })
        .catch((error: unknown) => {
          log.error('worker thread lost a generation', { error: String(error) });
          fail(serverError());
        })
        .finally(onSettled);
      yield* events;
      // Its slot is free before its caller is told of the end, so that the next request of a conversation finds it.
      if (!signal.aborted) await settled;
    },

    async [Symbol.asyncDispose]() {
      // A thread must not be killed inside the native addon, so the engine goes first.
      if (config.backend !== 'wasm') await piscina.run({ kind: 'unload' } satisfies WorkerTask).catch(() => {});
      await piscina.destroy();
    },
  };
}

/** Piscina gives a task's own words to the balancer only under this symbol, which never crosses to the thread. */
function withConversation(task: WorkerTask, { messages }: GenerationRequest): WorkerTask {
  return Object.assign(task, { [Piscina.queueOptionsSymbol]: { conversation: JSON.stringify(messages) } });
}

function conversationOf(task: object): string {
  const options: unknown = Reflect.get(task, Piscina.queueOptionsSymbol);
  return typeof options === 'object' && options && 'conversation' in options ? String(options.conversation) : '';
}

/** Threads and slots a thread for a model on this backend. One native thread serves all slots; WebAssembly runs one each. */
export function planThreads(config: WorkerConfig, cores: number): { threads: number; slots: number } {
  const { slots, threads } = config.engine;
  if (config.backend !== 'wasm') return { threads: 1, slots };
  return { threads: Math.max(1, Math.min(slots, Math.floor(cores / (threads ?? cores)))), slots: 1 };
}

/** What the engine of one thread says of itself, for all threads of the model. */
export function scaleInfo(info: EngineInfo, threads: number): EngineInfo {
  return { ...info, slots: info.slots * threads };
}
