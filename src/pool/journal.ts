import type { EngineEvent, PromptProgress, TokenLogprob } from '../core/events.ts';
import type { ResumedChoice, TextRequest } from '../engine/engine.ts';

/** How far a generation has come, so that another engine can take it up. */
export interface Journal {
  /** Tokens of all choices so far. */
  readonly tokens: number;
  /** Whether another engine can go on: not if text was said by an engine that does not tell its tokens. */
  readonly resumable: boolean;
  /** The request for the next engine: as it was at first, and then with what has been drawn. */
  resumed(request: TextRequest): TextRequest;
  /** Notes an event, and gives what the caller is to be told of it: an engine that takes over repeats some. */
  note(event: EngineEvent): EngineEvent[];
}

export function createJournal(choices: number): Journal {
  const states = Array.from({ length: choices }, (): ResumedChoice & { logprobs: TokenLogprob[] } => ({
    tokens: [],
    logprobs: [],
    finished: false,
  }));
  const startedAt = performance.now();
  let first: PromptProgress | null = null;
  let firstTokenAt = 0;
  let promptMs = 0;
  let takenUp = false;
  let tokens = 0;
  let said = false;

  const noteDrawn = ({ choice, token, logprob }: Extract<EngineEvent, { kind: 'drawn' }>) => {
    const state = states[choice];
    if (!state) return;
    state.tokens.push(token);
    if (logprob) state.logprobs.push(logprob);
    tokens += 1;
    if (firstTokenAt > 0) return;
    firstTokenAt = performance.now();
    promptMs = firstTokenAt - startedAt;
  };
  return {
    get tokens() {
      return tokens;
    },
    get resumable() {
      return tokens > 0 || !said;
    },
    resumed(request) {
      const journaled = { ...request, journal: true };
      if (tokens === 0 && !states.some(({ finished }) => finished)) return journaled;
      takenUp = true;
      return { ...journaled, resume: states };
    },
    note(event) {
      switch (event.kind) {
        case 'drawn':
          noteDrawn(event);
          return [];
        case 'finish': {
          const state = states[event.choice];
          if (state) state.finished = true;
          return [event];
        }
        case 'text':
          said = true;
          return [event];
        case 'progress':
          first ??= event;
          return takenUp ? [] : [event];
        case 'done':
          if (!takenUp) return [event];
          return [
            {
              ...event,
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
