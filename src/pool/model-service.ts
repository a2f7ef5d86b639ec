import type { CallContext } from '../contract/call-context.ts';
import type { EngineEvent } from '../contract/events.ts';
import type { Inference } from '../contract/inference.ts';
import { type ChatService, chatServiceOver } from '../engine/chat-service.ts';
import type { TextRequest } from '../engine/engine.ts';
import type { ServedModel } from './served-model.ts';
import { askWorkers, generateOnWorkers } from './takeover.ts';
import type { Preparer } from './threads/preparer.ts';

export interface ServiceOptions {
  preparer: Preparer;
  /** True if prompts of different keys share no KV cache. */
  isolateKeys: boolean;
  /** Is called each time that another engine takes a generation over. */
  onTakeover: () => void;
}

/**
 * Returns a model as a service of conversations, for one call. The engine is in another process and the templates are in other
 * threads; the replies are read here.
 *
 * @param conversation the text by which a thread is chosen; see `ModelWorkers`
 */
export function serviceFor(
  { workers, retryGate, traits, held }: ServedModel,
  conversation: string,
  context: CallContext,
  { preparer, isolateKeys, onTakeover }: ServiceOptions,
): ChatService {
  const engine: Inference<TextRequest, EngineEvent> = {
    async generate(request, emit, signal) {
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
    ask: (kind, question, signal = context.signal) => askWorkers(workers, kind, question, { ...context, signal }),
  };
  return chatServiceOver(engine, (request, signal) => preparer.prepare(traits, request, signal), traits.chatTemplate);
}
