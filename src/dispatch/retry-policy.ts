/** A request is not retried once its crashes weigh this much. */
const MOST_WEIGHT = 2;
/** The weight of a crash that something else caused, such as a signal from outside or a closed tab. */
const OUTSIDE_WEIGHT = 0.5;
/** A request that has drawn this many tokens since its last crash did not cause it, and begins to count anew. */
const TOKENS_OF_PROGRESS = 64;

/**
 * Decides after each engine crash if the request that ran on the engine is retried on the next engine.
 *
 * @returns a function to call at each crash. It takes true if something else caused the crash, and the tokens that the request has
 *   drawn so far. It returns true if the request may be retried.
 */
export function createRetryPolicy(): (causedOutside: boolean, tokens: number) => boolean {
  let weight = 0;
  let tokensAtCrash = 0;
  return (causedOutside, tokens) => {
    if (tokens - tokensAtCrash >= TOKENS_OF_PROGRESS) weight = 0;
    weight += causedOutside ? OUTSIDE_WEIGHT : 1;
    tokensAtCrash = tokens;
    return weight < MOST_WEIGHT;
  };
}
