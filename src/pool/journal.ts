import type { EngineEvent, PromptProgress } from '../core/events.ts';
import type { ResumedChoice } from '../core/runner.ts';
import type { TextRequest } from '../engine/engine.ts';

/** How far a generation has come, so that another engine can take it up. */
export interface Journal {
  /** Tokens of all choices so far. */
  readonly tokens: number;
  /** The request for the next engine: as it was at first, and then with what has been drawn and said. */
  resumed(request: TextRequest): TextRequest;
  /** Notes an event, and gives what the caller is to be told of it: an engine that takes over repeats some. */
  note(event: EngineEvent): EngineEvent[];
}

export function createJournal(choices: number): Journal {
  const states = Array.from(
    { length: choices },
    (): ResumedChoice => ({ text: '', count: 0, tokens: [], logprobs: [], finished: false }),
  );
  const startedAt = performance.now();
  let first: PromptProgress | null = null;
  let firstTokenAt = 0;
  let promptMs = 0;
  let takenUp = false;
  const countTokens = () => states.reduce((sum, { count }) => sum + count, 0);

  const noteToken = () => {
    if (firstTokenAt > 0) return;
    firstTokenAt = performance.now();
    promptMs = firstTokenAt - startedAt;
  };

  const noteIn = (state: ResumedChoice, event: EngineEvent) => {
    switch (event.kind) {
      case 'drawn':
        noteToken();
        state.tokens.push(event.token);
        if (event.logprob) state.logprobs.push(event.logprob);
        state.count += 1;
        return;
      case 'text':
        noteToken();
        state.text += event.text;
        state.count = event.tokens ?? state.count;
        return;
      case 'finish':
        state.finished = true;
        state.count = event.tokens ?? state.count;
        return;
    }
  };

  return {
    get tokens() {
      return countTokens();
    },
    resumed(request) {
      const journaled = { ...request, journal: true };
      if (countTokens() === 0 && !states.some(({ finished }) => finished)) return journaled;
      takenUp = true;
      return { ...journaled, resume: states };
    },
    note(event) {
      const state = 'choice' in event ? states[event.choice] : undefined;
      if (state) noteIn(state, event);
      switch (event.kind) {
        case 'drawn':
          return [];
        case 'progress':
          first ??= event;
          return takenUp ? [] : [event];
        case 'done':
          if (!takenUp) return [event];
          return [
            {
              ...event,
              promptTokens: first?.total ?? event.promptTokens,
              cachedTokens: first?.cache ?? 0,
              promptMs,
              predictedMs: performance.now() - (firstTokenAt || startedAt),
            },
          ];
        default:
          return [event];
      }
    },
  };
}
