/** Guesses how a text goes on, from how it went on before. */
export interface PromptLookup {
  /** Takes in the tokens that were added to the history since the last call. */
  update(): void;
  /**
   * Returns up to `count` tokens that followed when the latest tokens came before; none if they never did. The guess for a
   * text that repeats itself goes round as often as it takes.
   */
  guess(count: number): number[];
}

/** As many latest tokens have to have come before. */
const GRAM = 3;
/** As many places where they came before are compared, the latest first. */
const PLACES = 8;
/** Tokens before a place are compared as far back as this. */
const FAR = 32;
const MOST_BUCKETS = 65_536;

/**
 * Indexes the places of each three tokens of `history`, which may grow but not change. The index takes 4 bytes for each token,
 * and at most 256 KiB for its buckets; tokens whose buckets are shared are told apart when they are compared.
 */
export function createPromptLookup(history: readonly number[]): PromptLookup {
  const buckets = new Int32Array(bucketsFor(history.length));
  /** For each place, the one before it in the same bucket. A place is the number of tokens up to its end; 0 is none. */
  let before = new Int32Array(history.length + 256);
  let indexed = GRAM - 1;

  const bucketOf = (end: number) => {
    let hash = 0;
    for (let at = end - GRAM; at < end; at++) hash = Math.imul(hash ^ (history[at] ?? 0), 0x9e3779b1);
    return (hash >>> 7) & (buckets.length - 1);
  };

  /** The number of equal tokens before two places, counted backwards. */
  const equalBefore = (one: number, other: number) => {
    let equal = 0;
    while (equal < FAR && equal < one && history[one - 1 - equal] === history[other - 1 - equal]) equal += 1;
    return equal;
  };

  /** The place that has the most tokens before it in common with the end; 0 if none has enough. */
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

/** A power of two, about twice the tokens of the prompt. */
function bucketsFor(tokens: number): number {
  return Math.min(MOST_BUCKETS, 2 ** Math.ceil(Math.log2(Math.max(512, tokens) * 2)));
}
