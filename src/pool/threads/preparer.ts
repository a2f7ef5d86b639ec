import { availableParallelism } from 'node:os';
import type { ModelTraits, PreparedRequest } from '../../chat/prepare.ts';
import type { CallContext } from '../../contract/call-context.ts';
import { ApiError, invalidRequest, overloaded, serverError } from '../../contract/errors.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import { createSlotQueue } from '../../dispatch/slot-queue.ts';
import type { PrepareTask } from '../../engine/node/task.ts';
import { type PrepareThread, startPrepareThread, TookTooLong } from './prepare-thread.ts';
import { createThreads } from './threads.ts';

/** The limits of the template and the schemas of one request. */
const LIMITS = { timeMs: 10_000, memoryMib: 256 };
/** The longest wait for a thread, in ms. */
const LONGEST_WAIT_MS = 10_000;
/** The `Retry-After` of a request that waited too long, in seconds. */
const RETRY_AFTER_SECONDS = 5;
/** Idle threads end after this time, in ms. */
const IDLE_MS = 60_000;
/** The most threads that work for one party at once. */
const MOST_OF_PARTY = Math.max(2, Math.min(4, availableParallelism()));
/** The two more are for other parties: the requests of one party never take all threads. */
const MOST_THREADS = MOST_OF_PARTY + 2;

/** Prepares requests in worker threads, so that slow templates and schemas delay neither the server nor an engine. */
export interface Preparer extends AsyncDisposable {
  /**
   * Starts a thread if none is idle, so that it starts while a model loads.
   *
   * @param template a chat template of Paddock's own, whose format the thread finds before its first task
   */
  startAhead(template?: string): void;
  /**
   * Renders the prompt and compiles the grammar of a request. Free threads are shared between parties as slots are. Throws an
   * `ApiError` as `createPreparer` says, a 400 if that takes too long or too much memory, a 503 if no thread is free for too long, and
   * a 500 if the signal aborts.
   */
  prepare(
    traits: ModelTraits,
    request: GenerationRequest,
    context: Pick<CallContext, 'signal' | 'party'>,
  ): Promise<PreparedRequest>;
}

/** Starts no thread before the first request, or `startAhead`. */
export function createPreparerPool(): Preparer {
  const queue = createSlotQueue(MOST_THREADS, Number.POSITIVE_INFINITY, { mostOfParty: MOST_OF_PARTY });
  /** For the next thread that starts. */
  let firstTemplate: string | undefined;
  const start = (): PrepareThread => {
    const template = firstTemplate;
    firstTemplate = undefined;
    // The next request need not wait until a thread has started.
    return startPrepareThread(LIMITS, () => threads.startSpare(), template);
  };
  const threads = createThreads({ start, most: MOST_THREADS, idleMs: IDLE_MS });

  const run = async (task: PrepareTask, signal: AbortSignal): Promise<PreparedRequest> => {
    const thread = await threads.take(signal).catch((error: unknown) => {
      throw signal.aborted ? clientLeft() : error;
    });
    try {
      const result = await thread.run(task, signal);
      if (result.ok) return result.prepared;
      throw new ApiError(result.error);
    } catch (error) {
      if (signal.aborted) throw clientLeft();
      if (error instanceof TookTooLong) throw tooMuch(`took longer than ${LIMITS.timeMs / 1000} seconds`);
      if (isOutOfMemory(error)) throw tooMuch(`needed more than ${LIMITS.memoryMib} MiB of memory`);
      throw error;
    } finally {
      threads.giveBack(thread);
    }
  };

  return {
    startAhead(template) {
      firstTemplate = template;
      threads.startSpare();
    },
    async prepare(traits, request, { signal, party }) {
      const patience = AbortSignal.timeout(LONGEST_WAIT_MS);
      const release = await queue.acquire(AbortSignal.any([signal, patience]), 1, party);
      if (!release) throw signal.aborted ? clientLeft() : busy();
      try {
        return await run({ traits, request }, signal);
      } finally {
        release();
      }
    },
    [Symbol.asyncDispose]: () => threads.end(),
  };
}

function clientLeft(): ApiError {
  return serverError('The client went away.');
}

function busy(): ApiError {
  const message = `The threads that prepare requests were busy with other requests for ${LONGEST_WAIT_MS / 1000} seconds.`;
  return overloaded(message, RETRY_AFTER_SECONDS);
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
