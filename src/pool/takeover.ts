import type { CallContext } from '../contract/call-context.ts';
import { ApiError } from '../contract/errors.ts';
import type { EngineEvent } from '../contract/events.ts';
import type { QuestionKind, Questions } from '../contract/questions.ts';
import { createJournal } from '../dispatch/journal.ts';
import { createSuspicion } from '../dispatch/retry-policy.ts';
import type { TextRequest } from '../engine/engine.ts';
import { answerOf, callAsk, callGenerate } from '../wire/inference-calls.ts';
import type { ModelWorkers } from './model-workers.ts';
import type { Probation } from './probation.ts';
import { EngineDied } from './process/engine-died.ts';

/**
 * Runs a generation to its end, whatever number of engines that takes: when one dies, the next evaluates the prompt and the
 * reply so far and goes on where the first one was. Nothing is said twice, and nothing is missing. Requests are taken up
 * one at a time (`probation`), so that one that kills engines is alone with its deed: it gets an error, its neighbours go on.
 */
export async function generateToTheEnd(
  workers: ModelWorkers,
  probation: Probation,
  request: TextRequest,
  conversation: string,
  emit: (event: EngineEvent) => void,
  context: CallContext,
): Promise<void> {
  const journal = createJournal(request.choices);
  const isGuilty = createSuspicion();
  let resuming = false;

  while (!context.signal.aborted) {
    const leave = resuming ? await probation.enter(context.signal) : () => {};
    if (!leave) return;
    try {
      await workers.ready(context.signal);
      await runOnce(workers, journal.resumed(request), conversation, context, (event) => {
        // The new engine has come further than the one that died: this request is not what it died of.
        if (event.kind === 'drawn' || event.kind === 'text' || event.kind === 'finish') leave();
        journal.note(event);
        for (const told of journal.toTell(event)) emit(told);
      });
      return;
    } catch (error) {
      if (!isDeath(error)) throw error;
      if (isGuilty(error instanceof EngineDied && error.killed, journal.tokens)) throw culprit(error);
      resuming = true;
      emit({ kind: 'pause', reason: 'the engine died; the reply goes on when it is there again' });
    } finally {
      leave();
    }
  }
}

/** Asks a question, and once more when the engine dies of something meanwhile. */
export async function askToTheEnd<K extends QuestionKind>(
  workers: ModelWorkers,
  kind: K,
  question: Questions[K]['question'],
  context: CallContext,
): Promise<Questions[K]['answer']> {
  for (let attempt = 1; ; attempt++) {
    await workers.ready(context.signal);
    const call = workers.call('', context, (port) => callAsk(port, kind, question, context));
    try {
      return await answerOf(call);
    } catch (error) {
      if (!isDeath(error)) throw error;
      if (attempt === 2) throw culprit(error);
    } finally {
      await call.settled;
    }
  }
}

async function runOnce(
  workers: ModelWorkers,
  request: TextRequest,
  conversation: string,
  context: CallContext,
  note: (event: EngineEvent) => void,
): Promise<void> {
  const { events, settled } = workers.call(conversation, context, (port) =>
    callGenerate<TextRequest, EngineEvent>(port, request, context),
  );
  try {
    for await (const event of events) note(event);
  } finally {
    await settled;
  }
}

/** Whether the engine is gone: its process or thread, or the WebAssembly runtime within a thread. */
function isDeath(error: unknown): error is Error {
  return error instanceof EngineDied || (error instanceof ApiError && error.data.code === 'engine_died');
}

/** 500: engines die of this request. */
function culprit(cause: Error): ApiError {
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
