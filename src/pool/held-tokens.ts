import type { EngineEvent } from '../contract/events.ts';

/** Counts the tokens that the running generations of a model hold in its KV caches. What idle slots keep for later does not count. */
export interface HeldTokens {
  readonly count: number;
  /** Begins to count a generation of `choices`, which share a prompt but hold it each in a slot of its own. */
  open(choices: number): { note(event: EngineEvent): void; close(): void };
}

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
