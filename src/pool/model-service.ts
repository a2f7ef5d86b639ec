import type { CallContext } from '../contract/call-context.ts';
import { serverError } from '../contract/errors.ts';
import type { EngineEvent } from '../contract/events.ts';
import type { Inference } from '../contract/inference.ts';
import { type ChatService, chatServiceOver, type Prepare } from '../engine/chat-service.ts';
import type { TextRequest } from '../engine/engine.ts';
import type { ServedModel } from './served-model.ts';
import { askWorkers, generateOnWorkers } from './takeover.ts';
import type { Preparer } from './threads/preparer.ts';

export interface ServiceOptions {
  preparer: Preparer;
  /** Waits for the slots of the call; see `Entered`. */
  waitForSlots: () => Promise<boolean>;
  /** True if prompts of different keys share no KV cache. */
  isolateKeys: boolean;
  /** Is called each time that another engine takes a generation over. */
  onTakeover: () => void;
}

/**
 * Returns a model as a service of conversations, for one call. The engine is in another process and the templates are
 * in other threads; the replies are read here. A call waits for its slots after its preparation, so that no slot is
 * idle for a slow template. If the signal aborts before the slots are free, `generate` ends without an event, and `ask`
 * throws a 500 `ApiError`.
 *
 * @param conversation the text by which a thread is chosen; see `ModelWorkers`
 */
export function serviceFor(
  { workers, retryGate, traits, held }: ServedModel,
  conversation: string,
  context: CallContext,
  { preparer, waitForSlots, isolateKeys, onTakeover }: ServiceOptions,
): ChatService {
  const engine: Inference<TextRequest, EngineEvent> = {
    async generate(request, emit, signal) {
      if (!(await waitForSlots())) return;
      const holding = held.open(request.choices);
      const scoped = isolateKeys && context.party ? { ...request, cacheScope: context.party.name } : request;
      const note = (event: EngineEvent) => {
        holding.note(event);
        if (event.kind === 'pause') onTakeover();
        emit(event);
      };
      try {
        await generateOnWorkers(workers, retryGate, scoped, conversation, note, { ...context, signal });
      } finally {
        holding.close();
      }
    },
    async ask(kind, question, signal = context.signal) {
      if (!(await waitForSlots())) throw serverError('The client went away.');
      const scoped =
        kind === 'weigh' && isolateKeys && context.party ? { ...question, cacheScope: context.party.name } : question;
      return askWorkers(workers, kind, scoped, conversation, { ...context, signal });
    },
  };
  const prepare: Prepare = (request, signal) => preparer.prepare(traits, request, { ...context, signal });
  return chatServiceOver(engine, prepare);
}
