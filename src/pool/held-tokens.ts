import type { EngineEvent } from '../contract/events.ts';

/** Counts the tokens in the KV caches of a model's running generations. The tokens in idle slots, kept for reuse, do not count. */
export interface HeldTokens {
  readonly count: number;
  /**
   * Begins to count a generation with `choices` choices. Each holds the whole prompt in a slot of its own. `note` counts the tokens of an
   * event; `close` removes all tokens of the generation, and may be called twice.
   */
  open(choices: number): { note(event: EngineEvent): void; close(): void };
}

/** Makes a counter for one model. */
export function createHeldTokens(): HeldTokens {
  let count = 0;
  return {
    get count() {
      return count;
    },
    open(choices) {
      let held = 0;
      let prompt = 0;
      const add = (tokens: number) => {
        held += tokens;
        count += tokens;
      };
      return {
        note(event) {
          if (event.kind === 'text') add(event.tokens ?? 1);
          else if (event.kind === 'progress') {
            add((event.processed - prompt) * choices);
            prompt = event.processed;
          }
        },
        close() {
          add(-held);
        },
      };
    },
  };
}
