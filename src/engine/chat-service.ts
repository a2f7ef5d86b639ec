import { formatOf } from '../chat/formats/index.ts';
import { createPreparer, type PreparedRequest } from '../chat/prepare.ts';
import { createReplyCheck } from '../chat/reply-check.ts';
import { createReplyReader } from '../chat/reply-events.ts';
import { invalidRequest } from '../contract/errors.ts';
import type { Emit, EngineEvent, GenerationEvent, JournaledEvent } from '../contract/events.ts';
import type { GenerationRequest } from '../contract/generation-request.ts';
import type { Inference } from '../contract/inference.ts';
import type { Questions } from '../contract/questions.ts';
import type { TextEngine, TextRequest } from './engine.ts';
import { isTokens, partsOf } from './tokenize.ts';

/** One loaded model as conversations. */
export type ChatService = Inference<GenerationRequest, GenerationEvent>;

/** Turns a request into what an engine runs. Throws as `createPreparer` says. */
export type Prepare = (request: GenerationRequest, signal: AbortSignal) => PreparedRequest | Promise<PreparedRequest>;

/** Puts the chat layer on top of an engine, both in one thread. `chatTemplate` takes the place of the model's own. */
export function createChatService(engine: TextEngine, chatTemplate = engine.traits.chatTemplate): ChatService {
  return chatServiceOver(engine, createPreparer({ ...engine.traits, chatTemplate }));
}

/**
 * A `ChatService` that emits each event of the engine together with the events that follow from it, so that another
 * engine can go on with the generation.
 */
export type JournaledService = Inference<GenerationRequest, JournaledEvent>;

/** Does the same as `createChatService`, and names for each event the event of the engine that caused it. */
export function createJournaledService(
  engine: TextEngine,
  chatTemplate = engine.traits.chatTemplate,
): JournaledService {
  const prepare = createPreparer({ ...engine.traits, chatTemplate });
  const engineAsk: TextEngine['ask'] = (kind, question, signal) => engine.ask(kind, question, signal);
  return {
    async generate(request, emit, signal) {
      let events: GenerationEvent[] = [];
      const watched: Inference<TextRequest, EngineEvent> = {
        generate: (textRequest, say, signal) =>
          engine.generate(
            textRequest,
            (of) => {
              events = [];
              say(of);
              emit({ of, events });
            },
            signal,
          ),
        ask: engineAsk,
      };
      await chatServiceOver(watched, prepare).generate(request, (event) => events.push(event), signal);
    },
    ask: chatServiceOver(engine, prepare).ask,
  };
}

/** Puts the chat layer on top of an engine that may be elsewhere. The replies are read here. */
export function chatServiceOver(engine: Inference<TextRequest, EngineEvent>, prepare: Prepare): ChatService {
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
      const { parser, severalCalls, checks } = prepared;
      let silent = true;
      const gate: Emit = (event) => {
        if (!silent) emit(event);
      };
      const tell = checks ? createReplyCheck(checks, gate) : gate;
      const format = prepared.format && formatOf(prepared.format);
      const say = parser && format ? createReplyReader(() => format.createParser(parser), severalCalls, tell) : tell;
      // If another engine has begun the reply, parser and check read its text first.
      for (const piece of request.resume?.flatMap(({ said }) => said) ?? []) say(piece);
      silent = false;
      await engine.generate(textRequest, withoutTokens(say), signal);
    },
    async ask(kind, question, signal = new AbortController().signal) {
      if (kind === 'weighReplies') return weighReplies(engine, prepare, question as WeighedReplies, signal);
      if (kind !== 'countPrompt' && kind !== 'renderPrompt') return engine.ask(kind, question, signal);
      const { prompt } = await prepare(question as GenerationRequest, signal);
      return kind === 'renderPrompt' ? { prompt: textOf(prompt) } : engine.ask('countTokens', { prompt }, signal);
    },
  };
}

/** Returns the text of a rendered prompt. Throws for a prompt of token ids, which is none. */
function textOf(prompt: PreparedRequest['prompt']): string {
  if (isTokens(prompt)) throw new Error('a prompt of token ids is not rendered');
  return partsOf(prompt)
    .map(({ text }) => text)
    .join('');
}

type WeighedReplies = Questions['weighReplies']['question'];

/** Asks an engine how likely each option is as the reply. Throws a 400 `ApiError` for a conversation with a banned text. */
async function weighReplies(
  engine: Pick<ChatService, 'ask'>,
  prepare: Prepare,
  { request, options, param }: WeighedReplies,
  signal: AbortSignal,
) {
  const replyFormat = { kind: 'options' as const, texts: options.flat(), param };
  const { prompt, filtered } = await prepare({ ...request, replyFormat }, signal);
  if (filtered) throw invalidRequest(`${param} has a text that the content filter bans.`, param, 'content_filter');
  return engine.ask('weigh', { prompt, options, param }, signal);
}

/** Passes on all but what is meant for another engine. */
function withoutTokens(emit: Emit): (event: EngineEvent) => void {
  return (event) => {
    if (event.kind !== 'drawn') emit(event);
  };
}

function toTextRequest(request: GenerationRequest, prepared: PreparedRequest): TextRequest {
  const { prompt, media, grammar, marks, continues, thinking } = prepared;
  const { prompt: _, replyFormat: __, thinkingBudget: ___, ...same } = request;
  return { ...same, prompt, media, grammar, marks, ...(continues && { continues }), ...(thinking && { thinking }) };
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
