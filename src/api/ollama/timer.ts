import type { GenerationDone, GenerationEvent } from '../../contract/events.ts';

const NANOSECONDS_IN_MS = 1e6;

/** How long a request has taken so far, in ns, and how long of it the model was waited for. */
export interface Timer {
  /** Passes the events on; the first one tells that the model was there. */
  watch(events: AsyncIterable<GenerationEvent>): AsyncGenerator<GenerationEvent>;
  durations(): { total_duration: number; load_duration: number };
}

/** Starts a timer. What is waited for is the model's load, and a free slot of it. */
export function startTimer(): Timer {
  const begun = performance.now();
  let waited: number | null = null;
  return {
    async *watch(events) {
      for await (const event of events) {
        waited ??= performance.now() - begun - (event.kind === 'progress' ? event.timeMs : 0);
        yield event;
      }
    },
    durations() {
      const total = performance.now() - begun;
      return { total_duration: toNanoseconds(total), load_duration: toNanoseconds(waited ?? total) };
    },
  };
}

/** The end of a request that evaluates nothing. */
export const NO_TOKENS: GenerationDone = {
  kind: 'done',
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  promptMs: 0,
  predictedMs: 0,
};

/** The last fields of a reply. Counts are in tokens, durations in ns. */
export function toFigures({ promptTokens, promptMs, completionTokens, predictedMs }: GenerationDone, timer: Timer) {
  return {
    ...timer.durations(),
    prompt_eval_count: promptTokens,
    prompt_eval_duration: toNanoseconds(promptMs),
    eval_count: completionTokens,
    eval_duration: toNanoseconds(predictedMs),
  };
}

function toNanoseconds(ms: number): number {
  return Math.max(0, Math.round(ms * NANOSECONDS_IN_MS));
}
