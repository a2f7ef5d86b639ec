import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { ModelTraits, PreparedRequest } from '../../chat/prepare.ts';
import { ApiError, invalidRequest, serverError } from '../../contract/errors.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { PrepareResult, PrepareTask } from '../../engine/node/task.ts';
import { THREAD_FLAGS } from './thread-flags.ts';

const WORKER_FILE = new URL('../../../workers/prepare.js', import.meta.url).href;

/** The longest time for the template and the schemas of one request, in ms. */
const LONGEST_MS = 10_000;
/** The most memory of one thread, in MiB. */
const MOST_MEMORY_MIB = 256;
/** Idle threads end after this time, in ms. */
const IDLE_MS = 60_000;

/** Prepares requests in worker threads, so that slow templates and schemas delay neither the server nor an engine. */
export interface Preparer extends AsyncDisposable {
  /**
   * Renders the prompt and compiles the grammar of a request. Throws an `ApiError` as `createPreparer` says, a 400 if that takes too long
   * or too much memory, and a 500 if the signal aborts.
   */
  prepare(traits: ModelTraits, request: GenerationRequest, signal: AbortSignal): Promise<PreparedRequest>;
}

/** Starts no thread before the first request. */
export function createPreparerPool(): Preparer {
  const piscina = new Piscina({
    filename: WORKER_FILE,
    minThreads: 0,
    maxThreads: Math.max(2, Math.min(4, availableParallelism())),
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MIB },
    execArgv: THREAD_FLAGS,
  });

  return {
    async prepare(traits, request, signal) {
      const late = AbortSignal.timeout(LONGEST_MS);
      try {
        const task: PrepareTask = { traits, request };
        // Piscina ends the thread on abort, since nothing else stops a running template, and starts another thread.
        const result: PrepareResult = await piscina.run(task, { signal: AbortSignal.any([signal, late]) });
        if (result.ok) return result.prepared;
        throw new ApiError(result.error);
      } catch (error) {
        if (signal.aborted) throw serverError('The client went away.');
        if (late.aborted) throw tooMuch(`took longer than ${LONGEST_MS / 1000} seconds`);
        if (isOutOfMemory(error)) throw tooMuch(`needed more than ${MOST_MEMORY_MIB} MiB of memory`);
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => piscina.destroy(),
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuch(what: string): ApiError {
  return invalidRequest(
    `The model's chat template, or the schemas of this request, ${what}.`,
    'messages',
    'preparation_too_expensive',
  );
}
