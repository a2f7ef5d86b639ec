import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EngineInfo } from '../../../src/contract/engine-info.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { GenerationRequest } from '../../../src/contract/generation-request.ts';
import type { Sampling } from '../../../src/contract/sampling.ts';
import type { EngineOptions } from '../../../src/engine/engine.ts';
import { compileRuntime } from '../../../src/engine/wasm/node/runtime.ts';
import { ask, greedy } from '../../kit/generation.ts';

/** An error, as it came out of the thread. */
export interface ThreadError {
  name: string;
  message: string;
  data?: { status: number; param: string | null; code: string | null };
}

interface ThreadMessage {
  id?: number;
  info?: EngineInfo;
  failed?: ThreadError;
  event?: GenerationEvent;
  end?: ThreadError | null;
}

/** A running generation. */
export interface Generation {
  readonly events: GenerationEvent[];
  /** Resolves with the error that ended it, or null. */
  readonly ended: Promise<ThreadError | null>;
  abort(): void;
  /** Resolves once an event of this kind has come. */
  reached(kind: GenerationEvent['kind']): Promise<void>;
}

/** The real engine in a real worker thread, with the chat layer on top. */
export class WasmThread {
  readonly info: EngineInfo;
  readonly #worker: Worker;
  #lastId = 0;

  private constructor(worker: Worker, info: EngineInfo) {
    this.#worker = worker;
    this.info = info;
    worker.setMaxListeners(0);
  }

  /** Loads a model; rejects with the thread's `ThreadError` if that fails. */
  static async start(options: Partial<EngineOptions> & { files: string[] }): Promise<WasmThread> {
    const workerData: EngineOptions = {
      kind: 'chat',
      contextLength: 512,
      slots: 1,
      threads: 1,
      batchSize: 64,
      ...options,
    };
    // The pool does the same.
    await compileRuntime();
    const worker = new Worker(new URL('./thread.mjs', import.meta.url), { workerData, execArgv: [] });
    const [message] = (await once(worker, 'message')) as [ThreadMessage];
    if (message.info !== undefined) return new WasmThread(worker, message.info);
    await worker.terminate();
    throw message.failed;
  }

  generate(request: GenerationRequest): Generation {
    this.#lastId += 1;
    const id = this.#lastId;
    const worker = this.#worker;
    const events: GenerationEvent[] = [];
    const ended = new Promise<ThreadError | null>((resolve) => {
      const read = (message: ThreadMessage): void => {
        if (message.id !== id) return;
        if (message.event !== undefined) events.push(message.event);
        if (message.end === undefined) return;
        worker.off('message', read);
        resolve(message.end);
      };
      worker.on('message', read);
    });
    worker.postMessage({ id, command: 'generate', request });
    return {
      events,
      ended,
      abort: () => worker.postMessage({ id, command: 'abort' }),
      async reached(kind) {
        while (!events.some((event) => event.kind === kind)) await once(worker, 'message');
      },
    };
  }

  /** Returns all events of one generation. Throws the error that ended it. */
  async run(request: GenerationRequest): Promise<GenerationEvent[]> {
    const { events, ended } = this.generate(request);
    const error = await ended;
    if (error !== null) throw error;
    return events;
  }

  /** Disposes of the engine. The thread lives on. */
  dispose(): void {
    this.#worker.postMessage({ command: 'dispose' });
  }

  /** Kills the inner worker, which runs llama.cpp, with an exception. */
  killInner(): void {
    this.#worker.postMessage({ command: 'kill' });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** A greedy request with one user message. */
export function request(content: string, changes: Partial<GenerationRequest> = {}): GenerationRequest {
  return ask(content, { sampling: sampling(), maxTokens: 16, cachePrompt: true, ...changes });
}

/** Greedy sampling without any filter or penalty. */
export function sampling(changes: Partial<Sampling> = {}): Sampling {
  return { ...greedy, repeatLastN: 0, ...changes };
}

/** Returns the text of the reply. */
export function textOf(events: GenerationEvent[]): string {
  return events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
}

/** Returns the kinds of the events in order. Equal neighbours become one. */
export function kindsOf(events: GenerationEvent[]): string[] {
  return events.map(({ kind }) => kind).filter((kind, index, kinds) => kind !== kinds[index - 1]);
}

/** Returns the only event of this kind. Throws if there is none or more than one. */
export function only<K extends GenerationEvent['kind']>(
  events: GenerationEvent[],
  kind: K,
): Extract<GenerationEvent, { kind: K }> {
  const found = events.filter((event): event is Extract<GenerationEvent, { kind: K }> => event.kind === kind);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} events of kind ${kind}`);
  return found[0];
}
