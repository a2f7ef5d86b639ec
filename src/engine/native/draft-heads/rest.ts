/** Decides when a draft head rests: prompts and replies then take no time for guesses that are never worth it. */
export interface Rest {
  readonly rests: boolean;
  /** Notes passes of replies for which no guess was worth its time. Returns true if the head begins to rest. */
  noteIdle(passes: number): boolean;
  /** Notes that a reply wants a guess. A head that rests wakes if it was asked often enough. */
  noteAsked(): void;
  /** Notes how many tokens of a guess were right. */
  noteRight(count: number): void;
}

/** The head rests after so many passes without a right guess. */
const MOST_IDLE = 64;
/**
 * How often a head that rests has to be asked before it wakes: at once, unless all its guesses were wrong since it woke up last. Then 256
 * times, and four times as often after each further time. A reply asks again in each pass.
 */
const AFTER_WRONG = 256;
const GROWTH = 4;
const MOST_PATIENCE = 4096;

/** Makes the rest of a head that is awake. */
export function createRest(): Rest {
  let idle = 0;
  let asked = 0;
  let patience = 1;
  let wasWrong = false;

  return {
    get rests() {
      return idle >= MOST_IDLE;
    },
    noteIdle(passes) {
      if (idle >= MOST_IDLE) return false;
      idle += passes;
      if (idle < MOST_IDLE) return false;
      if (wasWrong) patience = Math.min(MOST_PATIENCE, Math.max(AFTER_WRONG, patience * GROWTH));
      wasWrong = false;
      asked = 0;
      return true;
    },
    noteAsked() {
      if (idle < MOST_IDLE) return;
      asked++;
      if (asked >= patience) idle = 0;
    },
    noteRight(count) {
      wasWrong = count === 0;
      if (count === 0) return;
      idle = 0;
      patience = 1;
    },
  };
}
