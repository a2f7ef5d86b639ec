/** Guesses the next tokens of a text from earlier places with the same latest tokens. */
export interface PromptLookup {
  /** Indexes the tokens that were added to the history since the last call. */
  update(): void;
  /**
   * Returns `count` tokens that followed an earlier occurrence of the latest tokens; none if there is no earlier
   * occurrence. If fewer tokens followed, the text repeats itself, and so does the guess.
   */
  guess(count: number): number[];
}

/** The number of latest tokens that an earlier place must have as well. */
const GRAM = 3;
/** The most earlier places that are compared, the latest first. */
const PLACES = 8;
/** The most tokens before a place that are compared. */
const FAR = 32;
const MOST_BUCKETS = 65_536;

/**
 * Indexes the places of all groups of three tokens in `history`, which may grow but must not change. The index takes 4
 * bytes for each token, and at most 256 KiB for its buckets. Different groups may share a bucket: places are compared
 * token by token.
 */
export function createPromptLookup(history: readonly number[]): PromptLookup {
  const buckets = new Int32Array(bucketsFor(history.length));
  /**
   * For each place, the previous place in the same bucket. A place is the number of tokens up to its end; 0 means no
   * place.
   */
  let before = new Int32Array(history.length + 256);
  let indexed = GRAM - 1;

  const bucketOf = (end: number) => {
    let hash = 0;
    for (let at = end - GRAM; at < end; at++) hash = Math.imul(hash ^ (history[at] ?? 0), 0x9e3779b1);
    return (hash >>> 7) & (buckets.length - 1);
  };

  /** Returns the number of equal tokens before two places, counted backwards. */
  const equalBefore = (one: number, other: number) => {
    let equal = 0;
    while (equal < FAR && equal < one && history[one - 1 - equal] === history[other - 1 - equal]) equal += 1;
    return equal;
  };

  /** Returns the place that has the most tokens before it in common with the end; 0 if no place has enough. */
  const bestPlace = (end: number) => {
    let best = { place: 0, equal: GRAM - 1 };
    let place = before[end] ?? 0;
    for (let compared = 0; place > 0 && compared < PLACES; compared++) {
      const equal = equalBefore(place, end);
      if (equal > best.equal) best = { place, equal };
      place = before[place] ?? 0;
    }
    return best.place;
  };

  return {
    update() {
      if (history.length >= before.length) {
        const longer = new Int32Array(history.length * 2);
        longer.set(before);
        before = longer;
      }
      while (indexed < history.length) {
        indexed += 1;
        const bucket = bucketOf(indexed);
        before[indexed] = buckets[bucket] ?? 0;
        buckets[bucket] = indexed;
      }
    },
    guess(count) {
      const end = history.length;
      const place = end >= GRAM ? bestPlace(end) : 0;
      if (place === 0) return [];
      return Array.from({ length: count }, (_, ahead) => history[place + (ahead % (end - place))] ?? 0);
    },
  };
}

/** Returns a power of two, about twice the number of tokens. */
function bucketsFor(tokens: number): number {
  return Math.min(MOST_BUCKETS, 2 ** Math.ceil(Math.log2(Math.max(512, tokens) * 2)));
}
