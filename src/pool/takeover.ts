import type { CallContext } from '../contract/call-context.ts';
import { ApiError } from '../contract/errors.ts';
import type { EngineEvent } from '../contract/events.ts';
import type { QuestionKind, Questions } from '../contract/questions.ts';
import { type Failure, generateWithTakeover } from '../dispatch/takeover.ts';
import type { TextRequest } from '../engine/engine.ts';
import { answerOf, callAsk, callGenerate } from '../wire/inference-calls.ts';
import type { ModelWorkers } from './model-workers.ts';
import { EngineDied } from './process/engine-died.ts';
import type { RetryGate } from './retry-gate.ts';

/** Runs a generation on a model's workers, and on the engine that replaces a crashed one. Throws as `generateWithTakeover` does. */
export function generateOnWorkers(
  workers: ModelWorkers,
  retryGate: RetryGate,
  request: TextRequest,
  conversation: string,
  emit: (event: EngineEvent) => void,
  context: CallContext,
): Promise<void> {
  return generateWithTakeover<TextRequest, EngineEvent>(
    {
      async run(resumed, note) {
        await workers.ready(context.signal);
        await workers.run(conversation, context, (port) =>
          callGenerate<TextRequest, EngineEvent>(port, resumed, (event) => note(event, [event]), context),
        );
      },
      failureOf,
      toClientError: engineCrashed,
      pauseReason: 'the engine died; the reply goes on when it is there again',
      enterRetry: (signal) => retryGate.enter(signal),
    },
    request,
    emit,
    context.signal,
  );
}

/** Asks a model's workers a question, and once more if the engine crashes meanwhile. */
export async function askWorkers<K extends QuestionKind>(
  workers: ModelWorkers,
  kind: K,
  question: Questions[K]['question'],
  conversation: string,
  context: CallContext,
): Promise<Questions[K]['answer']> {
  for (let attempt = 1; ; attempt++) {
    await workers.ready(context.signal);
    try {
      return await answerOf<K>((emit) =>
        workers.run(conversation, context, (port) => callAsk(port, kind, question, emit, context)),
      );
    } catch (error) {
      if (failureOf(error) === 'request') throw error;
      if (attempt === 2) throw engineCrashed(error);
    }
  }
}

/** Tells a crash of the process, of the thread, or of the WebAssembly runtime in the thread from an error of the request. */
function failureOf(error: unknown): Failure {
  if (error instanceof EngineDied) return error.killed ? 'killed' : 'crashed';
  return error instanceof ApiError && error.data.code === 'engine_died' ? 'crashed' : 'request';
}

/** 500: the engine crashes each time that it runs this request. */
function engineCrashed(cause: unknown): ApiError {
  const error = new ApiError({
    status: 500,
    type: 'server_error',
    code: 'engine_crashed',
    param: null,
    message: 'The engine died each time that it worked on this request, which is not tried again.',
  });
  error.cause = cause;
  return error;
}
