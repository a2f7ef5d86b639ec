import type { GenerationEvent } from '../../contract/events.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { Prompt } from '../../contract/prompt.ts';
import { callOf, type RequestContext } from '../context.ts';
import type { ApiRequest } from '../http/http.ts';
import { reserveGeneration } from '../keys/reserve.ts';
import { createEventNotes } from '../record.ts';
import { cancelWith } from '../stream/cancel.ts';
import { applyOverflowPolicy } from '../stream/overflow.ts';
import type { Conversation } from './conversation.ts';
import { readMessageMedia } from './media.ts';
import { type ChatGeneration, toGenerationRequest } from './request.ts';

/** A running generation, and the controller that ends it. */
export interface Generation {
  events: AsyncIterable<GenerationEvent>;
  /** Aborted when the client leaves. */
  cancel: AbortController;
}

/**
 * Continues a conversation, the same for every dialect. Throws an `ApiError` for images or recordings that can't be
 * read.
 *
 * @param overflow the result for a prompt longer than the context window: `length` gives empty replies, `error` a 400
 *   `ApiError`
 */
export async function startGeneration(
  context: RequestContext,
  request: Pick<ApiRequest, 'signal'>,
  model: ModelCard,
  conversation: Conversation,
  overflow: 'length' | 'error',
): Promise<Generation> {
  const cancel = cancelWith(request.signal);
  const generation = await readGeneration(context, cancel.signal, model, conversation);
  const { param = 'messages' } = conversation;
  return { events: runGeneration(context, cancel, model, generation, { overflow, param }), cancel };
}

/**
 * Runs a generation on a model. `param` is the request field with the prompt, for error messages. Throws a 429 `ApiError` if the key of the
 * request has no tokens left.
 */
export function runGeneration(
  context: RequestContext,
  cancel: Pick<AbortController, 'signal'>,
  model: ModelCard,
  generation: GenerationRequest,
  { overflow, param }: { overflow: 'length' | 'error'; param: string },
): AsyncIterable<GenerationEvent> {
  reserveGeneration(context.record, generation, model, context.runner);
  if (context.logPrompts) context.log.info('prompt', { prompt: withoutBytes(generation.prompt) });
  const named = context.session === undefined ? generation : { cacheKey: context.session, ...generation };
  const events = context.runner.generate(model.id, named, callOf(context, cancel));
  const note = createEventNotes(context.record, context.observer);
  return applyOverflowPolicy(events, overflow, { param, choices: generation.choices }, note);
}

/** Returns the prompt without the bytes of its images and recordings, for the log. */
function withoutBytes(prompt: Prompt): object {
  if (prompt.kind !== 'chat') return prompt;
  const messages = prompt.messages.map(({ media = [], ...message }) => ({
    ...message,
    ...(media.length > 0 && { media: media.map(({ bytes }) => `${bytes.length} bytes`) }),
  }));
  return { ...prompt, messages };
}

/**
 * Returns the number of tokens of a conversation's prompt. The tokens of images and recordings are unknown, and not
 * counted.
 */
export async function countPromptTokens(
  context: RequestContext,
  request: Pick<ApiRequest, 'signal'>,
  model: ModelCard,
  conversation: Conversation,
): Promise<number> {
  const generation = await readGeneration(context, request.signal, model, conversation);
  const { tokens } = await context.runner.ask(model.id, 'countPrompt', generation, callOf(context, request));
  return tokens;
}

/** Returns the generation of a conversation. Throws an `ApiError` for images or recordings that can't be read. */
export async function readGeneration(
  { media: reader, contentFilter }: RequestContext,
  signal: AbortSignal,
  model: ModelCard,
  conversation: Conversation,
): Promise<ChatGeneration> {
  const media = await readMessageMedia(reader, conversation, model, signal);
  return toGenerationRequest(conversation, model, contentFilter, media);
}
