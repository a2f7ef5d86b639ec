import type { EngineEvent, PromptProgress } from '../contract/events.ts';
import type { GenerationRequest, ResumedChoice } from '../contract/generation-request.ts';

/** The tokens and texts of a generation so far, from which another engine can continue it. */
export interface Journal {
  /** Tokens of all choices so far. */
  readonly tokens: number;
  /** Returns the request for the next engine: the original request, with the tokens and texts so far if there are any. */
  resumed<R extends Pick<GenerationRequest, 'journal' | 'resume'>>(request: R): R;
  /** Adds an event of an engine to the journal. */
  note(event: EngineEvent): void;
  /** Returns the events to pass on to the caller for an event of an engine. An engine that takes over repeats some events. */
  toTell<E extends EngineEvent>(event: E): E[];
}

/** Makes the journal of a generation with this number of choices. Its times, in ms, count from now on. */
export function createJournal(choices: number): Journal {
  const states = Array.from(
    { length: choices },
    (): ResumedChoice => ({ said: [], count: 0, tokens: [], logprobs: [], finished: false }),
  );
  const startedAt = performance.now();
  let first: PromptProgress | null = null;
  let firstTokenAt = 0;
  let takenUp = false;
  const countTokens = () => states.reduce((sum, { count }) => sum + count, 0);

  const noteIn = (state: ResumedChoice, event: EngineEvent) => {
    switch (event.kind) {
      case 'drawn':
        firstTokenAt ||= performance.now();
        state.tokens.push(event.token);
        if (event.logprob) state.logprobs.push(event.logprob);
        state.count += 1;
        return;
      case 'text':
        firstTokenAt ||= performance.now();
        if (event.soFar === undefined) return;
        state.said.push(event);
        state.count = event.soFar;
        return;
      case 'finish':
        state.finished = true;
        state.count = event.soFar ?? state.count;
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
      if (event.kind === 'progress') first ??= event;
    },
    toTell(event) {
      if (event.kind === 'drawn') return [];
      if (!takenUp) return [event];
      if (event.kind === 'progress') return [];
      if (event.kind !== 'done') return [event];
      const began = firstTokenAt || startedAt;
      return [
        {
          ...event,
          promptTokens: first?.total ?? event.promptTokens,
          cachedTokens: first?.cache ?? 0,
          promptMs: began - startedAt,
          predictedMs: performance.now() - began,
        },
      ];
    },
  };
}
