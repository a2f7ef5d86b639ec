import { detectFormat } from '../core/chat/formats/index.ts';
import { createPreparer, type Prepared } from '../core/chat/prepare.ts';
import { createReplyReader } from '../core/chat/reply-events.ts';
import type { EngineEvent, GenerationEvent } from '../core/events.ts';
import type { Inference } from '../core/inference.ts';
import type { Emit, GenerationRequest } from '../core/runner.ts';
import type { TextEngine, TextRequest } from './engine.ts';

/** One loaded model as conversations. */
export type ChatService = Inference<GenerationRequest, GenerationEvent>;

/** Turns a request into what an engine runs. Throws as `createPreparer` says. */
export type Prepare = (request: GenerationRequest, signal: AbortSignal) => Prepared | Promise<Prepared>;

/** Puts the chat layer on top of an engine, both in one thread. `chatTemplate` takes the place of the model's own. */
export function createChatService(engine: TextEngine, chatTemplate = engine.traits.chatTemplate): ChatService {
  return chatServiceOver(engine, createPreparer({ ...engine.traits, chatTemplate }), chatTemplate);
}

/** Puts the chat layer on top of an engine that may be elsewhere. The replies are read here. */
export function chatServiceOver(
  engine: Inference<TextRequest, EngineEvent>,
  prepare: Prepare,
  chatTemplate: string | undefined,
): ChatService {
  const format = detectFormat(chatTemplate);
  return {
    async generate(request, emit, signal) {
      const prepared = await prepare(request, signal);
      if (signal.aborted) return;
      const textRequest = toTextRequest(request, prepared);
      if (prepared.filtered) {
        const silent = withoutTokens(silenced(request, emit));
        await engine.generate({ ...textRequest, maxTokens: 1, choices: 1 }, silent, signal);
        return;
      }
      const { parser, severalCalls } = prepared;
      const say = parser ? createReplyReader(() => format.createParser(parser), severalCalls, emit) : emit;
      await engine.generate(textRequest, withoutTokens(say), signal);
    },
    ask: (kind, question, signal) => engine.ask(kind, question, signal),
  };
}

/** Passes on all but what is meant for another engine. */
function withoutTokens(emit: Emit): (event: EngineEvent) => void {
  return (event) => {
    if (event.kind !== 'drawn') emit(event);
  };
}

function toTextRequest(request: GenerationRequest, { prompt, media, grammar, marks }: Prepared): TextRequest {
  const { prompt: _, replyFormat: __, ...same } = request;
  return { ...same, prompt, media, grammar, marks };
}

/**
 * Hides the generated token: clients get the token counts of the prompt, and each choice ends at once with
 * `content_filter`.
 */
function silenced({ choices }: GenerationRequest, emit: Emit): Emit {
  return (event) => {
    if (event.kind === 'finish') {
      for (let choice = 0; choice < choices; choice++) emit({ kind: 'finish', choice, reason: 'content_filter' });
    } else if (event.kind === 'done') {
      emit({ ...event, completionTokens: 0 });
    } else if (event.kind === 'progress' || event.kind === 'overflow' || event.kind === 'pause') {
      emit(event);
    }
  };
}
