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

/** How often guesses of one source were right, in all replies of a model: a reply begins with guesses as long as others had. */
export interface GuessRecord {
  /** The probability that a guessed token is right if all before it are, as a new reply assumes it. */
  readonly share: number;
  /** As of `DraftLength`. */
  note(guessed: number, right: number): void;
}

/** The longest guess. With the token before it, 16 are evaluated: a number that all kernels are good at. */
export const LONGEST_GUESS = MOST_OUTPUTS - 1;
/**
 * The assumed share of right guesses at the beginning, and the number of guesses that this assumption counts for. It is no lower
 * after replies with wrong guesses, because the next reply may be of another kind.
 */
const FIRST_SHARE = 0.6;
const FIRST_WEIGHT = 2;
/**
 * The factor for the weight of earlier guesses, after each guess and after each pass in which no guess was worth it.
 */
const KEPT = 0.9;
const KEPT_IDLE = 0.99;
/** The same factor for all replies together, and the number of guesses that the first assumption counts for there. */
const KEPT_BY_ALL = 0.98;
const FIRST_WEIGHT_OF_ALL = 10;
/** A guess has to be faster by this factor, because the measured times are not exact. */
const WORTH = 1.05;

/** Makes the record of a model that has not guessed yet. */
export function createGuessRecord(): GuessRecord {
  let tried = FIRST_WEIGHT_OF_ALL;
  let right = FIRST_SHARE * tried;
  return {
    get share() {
      return Math.max(FIRST_SHARE, right / tried);
    },
    note(guessed, rightOnes) {
      if (guessed === 0) return;
      right = right * KEPT_BY_ALL + rightOnes;
      tried = tried * KEPT_BY_ALL + Math.min(guessed, rightOnes + 1);
    },
  };
}

/**
 * @param times the times of passes with one sequence
 * @param record the success of the same source in other replies
 */
export function createDraftLength(times: TokenTimes, record: GuessRecord = createGuessRecord()): DraftLength {
  const first = record.share;
  let right = 0;
  let tried = 0;
  const forget = (kept: number) => {
    right *= kept;
    tried *= kept;
  };

  const share = () => (right + first * FIRST_WEIGHT) / (tried + FIRST_WEIGHT);

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
      record.note(guessed, rightOnes);
      // Without guesses nothing is learned. Earlier failures lose weight, so that guessing is tried again later.
      if (guessed === 0) return forget(KEPT_IDLE);
      forget(KEPT);
      right += rightOnes;
      tried += Math.min(guessed, rightOnes + 1);
    },
  };
}
