import type { ChoiceFinished, GenerationDone, PromptProgress } from '../../contract/events.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import { runGeneration } from '../generation/start.ts';
import type { ApiRequest } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { createFillingEnd, type FillingLimits } from './filling-end.ts';

/** The text that fills a gap. */
export interface Filling {
  text: string;
  /** The reason why it ended; `limit` at one of `FillingLimits`. */
  reason: ChoiceFinished['reason'] | 'limit';
  stopSequence?: string;
  done: GenerationDone;
}

/**
 * Runs the generation that fills a gap. The slot is free once it ends, also if the client leaves. Throws a 400 `ApiError` for a prompt
 * that does not fit.
 */
export async function fill(
  context: RequestContext,
  request: Pick<ApiRequest, 'signal'>,
  model: ModelCard,
  generation: GenerationRequest,
  limits: FillingLimits,
): Promise<Filling> {
  const cancel = cancelWith(request.signal);
  const events = runGeneration(context, cancel, model, generation, { overflow: 'error', param: 'input_prefix' });
  const ending = createFillingEnd(limits);
  let progress: PromptProgress | undefined;
  let finish: ChoiceFinished | undefined;
  let tokens = 0;
  let firstAt: number | undefined;
  for await (const event of events) {
    if (event.kind === 'progress') progress = event;
    else if (event.kind === 'finish') finish = event;
    else if (event.kind === 'done' && finish) {
      const { reason, stopSequence } = finish;
      return { text: ending.text, reason, ...(stopSequence !== undefined && { stopSequence }), done: event };
    } else if (event.kind === 'text') {
      const now = performance.now();
      firstAt ??= now;
      tokens += event.tokens ?? 1;
      if (!ending.add(event.text, now - firstAt)) continue;
      // Leaving the loop cancels the generation, which then has no last event.
      return { text: ending.text, reason: 'limit', done: doneOf(progress, tokens, now - firstAt) };
    }
  }
  throw new Error('the generation ended without its last event');
}

/** Returns the counts of a generation that was cancelled. */
function doneOf(progress: PromptProgress | undefined, completionTokens: number, predictedMs: number): GenerationDone {
  const { total = 0, cache = 0, timeMs = 0 } = progress ?? {};
  return { kind: 'done', promptTokens: total, cachedTokens: cache, completionTokens, promptMs: timeMs, predictedMs };
}
