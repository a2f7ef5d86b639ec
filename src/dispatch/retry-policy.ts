/** A request that has so many strikes is to blame. */
const STRIKES_OUT = 2;
/** The strikes of a death that somebody else brought about. */
const KILLED_STRIKES = 0.5;
/** A request that has come so many tokens further since the last death is not what engines die of. */
const INNOCENT_TOKENS = 64;

/**
 * Counts the deaths of engines that a request saw, and tells when it is to blame for them.
 *
 * @returns a function to call at each death: whether somebody else brought it about, and the tokens that the request had come to
 */
export function createSuspicion(): (killed: boolean, tokens: number) => boolean {
  let strikes = 0;
  let tokensAtDeath = 0;
  return (killed, tokens) => {
    const strike = killed ? KILLED_STRIKES : 1;
    strikes = tokens - tokensAtDeath >= INNOCENT_TOKENS ? strike : strikes + strike;
    tokensAtDeath = tokens;
    return strikes >= STRIKES_OUT;
  };
}
