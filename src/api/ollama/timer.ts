import type { GenerationDone, GenerationEvent } from '../../contract/events.ts';

const NANOSECONDS_IN_MS = 1e6;

/** Measures a request, in ns: its total time, and the part of it before the first event of the model. */
export interface Timer {
  /** Passes the events on. The first event ends the wait for the model. */
  watch(events: AsyncIterable<GenerationEvent>): AsyncGenerator<GenerationEvent>;
  durations(): { total_duration: number; load_duration: number };
}

/** Starts a timer. The wait for the model includes its loading and the wait for a slot. */
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

/** The counts of a request that evaluates no tokens. */
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
