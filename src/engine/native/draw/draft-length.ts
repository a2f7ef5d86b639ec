import { MOST_OUTPUTS } from '../../memory-estimate.ts';
import { expectedTokens } from '../step/expected-tokens.ts';
import type { TokenTimes } from '../step/pass-times.ts';

/** Decides how many tokens of a reply to guess, by the share of right tokens in earlier guesses. */
export interface DraftLength {
  /** The probability that a guessed token is right if all before it are. */
  readonly share: number;
  /**
   * Returns how many tokens are worth guessing for a pass of one reply that has `tokens` tokens without them; 0 if none is.
   * To be called once for each pass for which there is a guess.
   *
   * @param guessMs the time to guess one token, in ms
   */
  choose(tokens: number, guessMs?: number): number;
  /** Notes that `guessed` tokens were evaluated, none if that was not worth it, and that the first `right` were right. */
  note(guessed: number, right: number): void;
}

/** The longest guess. With the token before it, 16 are evaluated: a number that all kernels are good at. */
export const LONGEST_GUESS = MOST_OUTPUTS - 1;
/** The assumed share of right guesses at the beginning, and the number of guesses that this assumption counts for. */
const FIRST_SHARE = 0.6;
const FIRST_WEIGHT = 2;
/**
 * The factor for the weight of earlier guesses, after each guess and after each pass in which no guess was worth it.
 */
const KEPT = 0.9;
const KEPT_IDLE = 0.99;
/** A guess has to be faster by this factor, because the measured times are not exact. */
const WORTH = 1.05;

/** @param times the times of passes with one sequence */
export function createDraftLength(times: TokenTimes): DraftLength {
  let right = 0;
  let tried = 0;
  const forget = (kept: number) => {
    right *= kept;
    tried *= kept;
  };

  const share = () => (right + FIRST_SHARE * FIRST_WEIGHT) / (tried + FIRST_WEIGHT);

  return {
    get share() {
      return share();
    },
    choose(tokens, guessMs = 0) {
      let best = { length: 0, gain: WORTH };
      for (let length = 1; length <= LONGEST_GUESS; length++) {
        const ms = Math.max(times.of(tokens), times.of(tokens + length)) + length * guessMs;
        const gain = expectedTokens(share(), length) / (ms / times.of(tokens));
        if (gain > best.gain) best = { length, gain };
      }
      if (best.length === 0) forget(KEPT_IDLE);
      return best.length;
    },
    note(guessed, rightOnes) {
      // Without guesses nothing is learned. Earlier failures lose weight, so that guessing is tried again later.
      if (guessed === 0) return forget(KEPT_IDLE);
      forget(KEPT);
      right += rightOnes;
      tried += Math.min(guessed, rightOnes + 1);
    },
  };
}
