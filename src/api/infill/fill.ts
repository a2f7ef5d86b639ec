import type { ChoiceFinished, GenerationDone, PromptProgress } from '../../contract/events.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import { runGeneration } from '../generation/start.ts';
import { createFillingEnd, type FillingLimits } from './filling-end.ts';

/** The text that fills a gap. */
export interface Filling {
  text: string;
  /** The reason why it ended; `limit` at one of `FillingLimits`. */
  reason: ChoiceFinished['reason'] | 'limit';
  stopSequence?: string;
  done: GenerationDone;
}

/** A piece of the text that fills a gap, with the tokens of the prompt and of the text so far; or the whole at its end. */
export type FillingEvent =
  | { kind: 'text'; text: string; tokens: number; promptTokens: number }
  | { kind: 'filled'; filling: Filling };

/**
 * Runs the generation that fills a gap. The slot is free once it ends, also if the client leaves. Throws a 400 `ApiError` for a prompt
 * that does not fit, before the first event.
 */
export async function* fill(
  context: RequestContext,
  cancel: Pick<AbortController, 'signal'>,
  model: ModelCard,
  generation: GenerationRequest,
  limits: FillingLimits,
): AsyncGenerator<FillingEvent> {
  const events = runGeneration(context, cancel, model, generation, { overflow: 'error', param: 'input_prefix' });
  const ending = createFillingEnd(limits);
  let progress: PromptProgress | undefined;
  let finish: ChoiceFinished | undefined;
  let tokens = 0;
  let sent = 0;
  let firstAt: number | undefined;
  const pieceUpTo = (end: number): FillingEvent[] => {
    const text = ending.text.slice(sent, end);
    sent = Math.max(sent, end);
    return text === '' ? [] : [{ kind: 'text', text, tokens, promptTokens: progress?.total ?? 0 }];
  };
  for await (const event of events) {
    if (event.kind === 'progress') progress = event;
    else if (event.kind === 'finish') finish = event;
    else if (event.kind === 'done' && finish) {
      const { reason, stopSequence } = finish;
      yield* pieceUpTo(ending.text.length);
      const stopped = stopSequence !== undefined && { stopSequence };
      yield { kind: 'filled', filling: { text: ending.text, reason, ...stopped, done: event } };
      return;
    } else if (event.kind === 'text') {
      const now = performance.now();
      firstAt ??= now;
      tokens += event.tokens ?? 1;
      const ends = ending.add(event.text, now - firstAt);
      yield* pieceUpTo(ends ? ending.text.length : ending.certain);
      if (!ends) continue;
      // Leaving the loop cancels the generation, which then has no last event.
      const done = doneOf(progress, tokens, now - firstAt);
      yield { kind: 'filled', filling: { text: ending.text, reason: 'limit', done } };
      return;
    }
  }
  throw new Error('the generation ended without its last event');
}

/** Returns the counts of a generation that was cancelled. */
function doneOf(progress: PromptProgress | undefined, completionTokens: number, predictedMs: number): GenerationDone {
  const { total = 0, cache = 0, timeMs = 0 } = progress ?? {};
  return { kind: 'done', promptTokens: total, cachedTokens: cache, completionTokens, promptMs: timeMs, predictedMs };
}
