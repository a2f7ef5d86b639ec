import type { TokenTimes } from '../step/pass-times.ts';

/** Decides how many tokens of a reply to guess ahead, by how many of the guesses before were right. */
export interface DraftLength {
  /**
   * Returns how many tokens are worth guessing in a pass that has `tokens` tokens without them; 0 if none is. Asked once for each
   * pass for which there is a guess.
   *
   * @param guessMs what guessing one token takes, in ms
   */
  choose(tokens: number, guessMs?: number): number;
  /** Notes that so many tokens were guessed, of which the first `right` ones were right. */
  note(guessed: number, right: number): void;
}

/** The longest guess. With the token before it, 16 are evaluated: a number that all kernels are good at. */
const MOST = 15;
/** What is taken for the share of right guesses at first, and how many guesses that counts for. */
const FIRST_SHARE = 0.6;
const FIRST_WEIGHT = 2;
/** What earlier guesses still count after another, and after a pass in which none was worth it. */
const KEPT = 0.9;
const KEPT_IDLE = 0.99;
/** A guess has to gain this much, because what is measured is not exact. */
const WORTH = 1.05;

/** @param times the times of passes with one sequence */
export function createDraftLength(times: TokenTimes): DraftLength {
  let right = 0;
  let tried = 0;
  const forget = (kept: number) => {
    right *= kept;
    tried *= kept;
  };

  return {
    choose(tokens, guessMs = 0) {
      const share = (right + FIRST_SHARE * FIRST_WEIGHT) / (tried + FIRST_WEIGHT);
      let best = { length: 0, gain: WORTH };
      for (let length = 1; length <= MOST; length++) {
        const ms = Math.max(times.of(tokens), times.of(tokens + length)) + length * guessMs;
        const gain = expected(share, length) / (ms / times.of(tokens));
        if (gain > best.gain) best = { length, gain };
      }
      // What is not tried is forgotten, so that it is tried again some time.
      if (best.length === 0) forget(KEPT_IDLE);
      return best.length;
    },
    note(guessed, rightOnes) {
      forget(KEPT);
      right += rightOnes;
      tried += Math.min(guessed, rightOnes + 1);
    },
  };
}

/** The tokens that a pass is expected to give: one, and the guesses up to the first wrong one. */
function expected(share: number, length: number): number {
  let tokens = 1;
  for (let place = 1; place <= length; place++) tokens += share ** place;
  return tokens;
}
