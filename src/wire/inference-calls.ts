import type { CallContext } from '../contract/call-context.ts';
import { serverError } from '../contract/errors.ts';
import type { EngineEvent, JournaledEvent } from '../contract/events.ts';
import type { Inference } from '../contract/inference.ts';
import type { Port } from '../contract/port.ts';
import type { QuestionKind, Questions } from '../contract/questions.ts';
import { type Call, type CalleeMessage, openCall, serveCall } from './call.ts';
import { gatheringPort } from './gathering-port.ts';

/** A model's answer to a question: the only event of such a call. */
export interface Answer<K extends QuestionKind = QuestionKind> {
  kind: 'answer';
  answer: Questions[K]['answer'];
}

/** A call to a model on the wire. */
export type InferenceCall<Request> =
  | { kind: 'generate'; request: Request }
  | { kind: 'ask'; about: QuestionKind; question: Questions[QuestionKind]['question'] };

/** Calls the model behind a port for a generation and emits its events. */
export function callGenerate<Request, Event>(
  port: Port,
  request: Request,
  emit: (event: Event) => void,
  context: CallContext,
): Call {
  return openCall(port, { kind: 'generate', request } satisfies InferenceCall<Request>, emit, context);
}

/** Asks the model behind a port a question. The only event of the call is the answer. */
export function callAsk<K extends QuestionKind>(
  port: Port,
  about: K,
  question: Questions[K]['question'],
  emit: (event: Answer<K>) => void,
  context: CallContext,
): Call {
  return openCall(port, { kind: 'ask', about, question } satisfies InferenceCall<never>, emit, context);
}

/**
 * Runs a call whose only event is an answer, and returns the answer. Throws a 500 `ApiError` if the call ends without one, as it
 * does after an abort.
 */
export async function answerOf<K extends QuestionKind>(
  call: (emit: (event: Answer<K>) => void) => Promise<void>,
): Promise<Questions[K]['answer']> {
  let answered: Answer<K> | undefined;
  await call((event) => {
    answered = event;
  });
  if (!answered) throw serverError('The request ended before its answer came.');
  return answered.answer;
}

/** Serves the one call of a port with a model. Resolves when it is over; see `serveCall`. */
export function serveInference<Request, Event>(
  port: Port,
  model: Inference<Request, Event>,
  onFailure: (error: unknown, context: CallContext) => void,
): Promise<void> {
  return serveCall<InferenceCall<Request>, Event | Answer>(
    port,
    async (call, emit, { signal }) => {
      if (call.kind === 'generate') return model.generate(call.request, emit, signal);
      emit({ kind: 'answer', answer: await model.ask(call.about, call.question, signal) });
    },
    onFailure,
  );
}

/**
 * Serves as `serveInference` does, for engines whose tokens may come quicker than messages should go. The first token is sent at
 * once; those after it may wait for one another for a few ms.
 */
export function serveGathered<Request, Event extends EngineEvent | JournaledEvent>(
  port: Port,
  model: Inference<Request, Event>,
  onFailure: (error: unknown, context: CallContext) => void,
): Promise<void> {
  let begun = false;
  const isFirstToken = (message: unknown) => {
    if (begun || !tellsToken(message as CalleeMessage<Event | Answer>)) return false;
    begun = true;
    return true;
  };
  return serveInference(gatheringPort(port, isFirstToken), model, onFailure);
}

function tellsToken(message: CalleeMessage<EngineEvent | JournaledEvent | Answer>): boolean {
  if (message.kind !== 'event') return false;
  const { event } = message;
  return ('of' in event ? event.of : event).kind !== 'progress';
}
