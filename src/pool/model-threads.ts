import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { serverError } from '../core/errors.ts';
import type { GenerationEvent } from '../core/events.ts';
import type { Log } from '../core/log.ts';
import type { BackendName, EngineInfo, GenerationRequest, QuestionKind, Questions } from '../core/runner.ts';
import { askEngine, type Call, callEngine, type Port } from '../core/wire.ts';
import type { EngineOptions } from '../engine/engine.ts';
import { nodePort } from '../engine/node/port.ts';
import type { LoadResult, WorkerConfig, WorkerLogLine, WorkerTask } from '../engine/node/task.ts';
import { compileRuntime } from '../engine/wasm/node/runtime.ts';
import { createAffinityBalancer, describeConversation } from './affinity.ts';

const WORKER_FILE = new URL('../../workers/inference.js', import.meta.url).href;

/** The threads that hold one model. */
export interface ModelWorkers extends AsyncDisposable {
  load(): Promise<LoadResult>;
  /** Runs one generation on a thread with a free slot; there must be one. `onSettled` hears when the slot is free again. */
  generate(request: GenerationRequest, signal: AbortSignal, onSettled: () => void): AsyncIterable<GenerationEvent>;
  /** Asks a thread with a free slot. */
  ask<K extends QuestionKind>(
    kind: K,
    question: Questions[K]['question'],
    signal: AbortSignal,
    onSettled: () => void,
  ): Promise<Questions[K]['answer']>;
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

  /** Runs a call on a thread. Its own abort goes over the port: piscina's would kill the thread, and all others in it. */
  const run = <T>(conversation: string, onSettled: () => void, open: (port: Port) => Call<T>) => {
    const { port1, port2 } = new MessageChannel();
    const { events, fail } = open(nodePort(port1));
    const settled = piscina
      .run(withConversation({ kind: 'serve', port: port2 }, conversation), { transferList: [port2] })
      .catch((error: unknown) => {
        log.error('worker thread lost a request', { error: String(error) });
        fail(serverError());
      })
      .finally(onSettled);
    return { events, settled };
  };

  return {
    async load() {
      if (config.backend === 'wasm') await compileRuntime();
      return piscina.run({ kind: 'load' } satisfies WorkerTask);
    },

    async *generate(request, signal, onSettled) {
      const { events, settled } = run(describeConversation(request.prompt), onSettled, (port) =>
        callEngine(port, request, signal),
      );
      yield* events;
      // Its slot is free before its caller is told of the end, so that the next request of a conversation finds it.
      if (!signal.aborted) await settled;
    },

    async ask(kind, question, signal, onSettled) {
      const { events, settled } = run('', onSettled, (port) => askEngine(port, kind, question, signal));
      for await (const answer of events) {
        await settled;
        return answer;
      }
      throw serverError();
    },

    async [Symbol.asyncDispose]() {
      // A thread must not be killed inside the native addon, so the engine goes first.
      if (config.backend !== 'wasm') await piscina.run({ kind: 'unload' } satisfies WorkerTask).catch(() => {});
      await piscina.destroy();
    },
  };
}

/** Piscina gives a task's own words to the balancer only under this symbol, which never crosses to the thread. */
function withConversation(task: WorkerTask, conversation: string): WorkerTask {
  return Object.assign(task, { [Piscina.queueOptionsSymbol]: { conversation } });
}

function conversationOf(task: object): string {
  const options: unknown = Reflect.get(task, Piscina.queueOptionsSymbol);
  return typeof options === 'object' && options && 'conversation' in options ? String(options.conversation) : '';
}

/** Threads and slots a thread for a model on this backend. One native thread serves all slots; WebAssembly runs one each. */
export function planThreads(
  backend: BackendName,
  { slots, threads }: Pick<EngineOptions, 'slots' | 'threads'>,
  cores: number,
): { threads: number; slots: number } {
  if (backend !== 'wasm') return { threads: 1, slots };
  return { threads: Math.max(1, Math.min(slots, Math.floor(cores / (threads ?? cores)))), slots: 1 };
}

/** What the engine of one thread says of itself, for all threads of the model. */
export function scaleInfo(info: EngineInfo, threads: number): EngineInfo {
  return { ...info, slots: info.slots * threads };
}
