import type { Party } from '../contract/call-context.ts';

/** The calls in the background that hold a model in memory. */
export interface BackgroundCalls {
  /** Notes a call, if it is work in the background. Returns the function that forgets it. */
  enter(party: Party | undefined): () => void;
  /** Asks all of them to end, since another call waits for a model that may need their room. */
  giveWay(): void;
}

/** Makes the list of the calls of one pool, empty at first. */
export function createBackgroundCalls(): BackgroundCalls {
  const calls = new Set<() => void>();
  return {
    enter(party) {
      const { giveWay } = party ?? {};
      if (!giveWay) return () => {};
      // One object for each call: two calls may have the same function.
      const call = () => giveWay();
      calls.add(call);
      return () => void calls.delete(call);
    },
    giveWay() {
      for (const call of [...calls]) call();
    },
  };
}
