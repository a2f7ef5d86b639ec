import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { ModelTraits, Prepared } from '../../chat/prepare.ts';
import { ApiError, invalidRequest, serverError } from '../../contract/errors.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { PrepareResult, PrepareTask } from '../../engine/node/task.ts';
import { THREAD_FLAGS } from './thread-flags.ts';

const WORKER_FILE = new URL('../../../workers/prepare.js', import.meta.url).href;

/** The longest that a template and the schemas of one request may take, in ms. */
const LONGEST_MS = 10_000;
/** What a template may use of memory, in MiB. */
const MOST_MEMORY_MIB = 256;
/** Threads that nobody has used for so long end, in ms. */
const IDLE_MS = 60_000;

/** Prepares requests in threads of their own, so that neither the server nor an engine waits for templates and schemas. */
export interface Preparer extends AsyncDisposable {
  /** Throws an `ApiError` as `createPreparer` says, and a 400 when it takes too long or too much memory. */
  prepare(traits: ModelTraits, request: GenerationRequest, signal: AbortSignal): Promise<Prepared>;
}

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
        // An abort ends the thread: nothing else stops a template. Piscina starts another.
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
