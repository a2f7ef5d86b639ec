import { createPreparer, type Prepared } from '../core/chat/prepare.ts';
import { createReplyReader } from '../core/chat/reply-events.ts';
import { foldCase } from '../core/chat/stop-sequences.ts';
import type { Inference } from '../core/inference.ts';
import { MEDIA_MARK } from '../core/media.ts';
import type { Emit, GenerationRequest, Prompt } from '../core/runner.ts';
import type { TextEngine, TextRequest } from './engine.ts';

/** One loaded model at the level of conversations. The wire serves this. */
export type ChatService = Inference<GenerationRequest>;

/** Puts the chat layer on top of an engine. `chatTemplate` replaces the model's own template. */
export function createChatService(engine: TextEngine, chatTemplate = engine.traits.chatTemplate): ChatService {
  const prepare = createPreparer({ ...engine.traits, chatTemplate });
  return {
    async generate(request, emit, signal) {
      const prepared = prepare(request);
      const textRequest = toTextRequest(request, prepared);
      if (isBanned(request)) {
        await engine.generate({ ...textRequest, maxTokens: 1, choices: 1 }, silenced(request, emit), signal);
        return;
      }
      const { createParser, severalCalls } = prepared;
      const said = createParser ? createReplyReader(createParser, severalCalls, emit) : emit;
      await engine.generate(textRequest, said, signal);
    },
    ask: (kind, question, signal) => engine.ask(kind, question, signal),
  };
}

function toTextRequest(request: GenerationRequest, { prompt, media, grammar, marks }: Prepared): TextRequest {
  const { prompt: _, replyFormat: __, ...same } = request;
  return { ...same, prompt, media, grammar, marks };
}

/** True if a banned text occurs in what the client wrote. Text that the template adds does not count. */
function isBanned({ prompt, banned }: GenerationRequest): boolean {
  const texts = textsOf(prompt).map(foldCase);
  return banned.map(foldCase).some((text) => texts.some((written) => written.includes(text)));
}

function textsOf(prompt: Prompt): string[] {
  switch (prompt.kind) {
    case 'chat':
      return prompt.messages.flatMap(({ content }) => content?.split(MEDIA_MARK) ?? []);
    case 'text':
      return [prompt.text];
    case 'infill':
      return [prompt.prefix, prompt.suffix];
    case 'tokens':
      return [];
    default:
      return prompt satisfies never;
  }
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
    } else if (event.kind === 'progress' || event.kind === 'overflow') {
      emit(event);
    }
  };
}
