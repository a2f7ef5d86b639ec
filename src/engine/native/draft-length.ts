import { sum } from '../../core/sum.ts';

/**
 * The time of a forward pass by the number of its tokens. It is measured all the time, since other programs and the number of
 * threads change it.
 */
export interface PassTimes {
  note(tokens: number, ms: number): void;
  /** Returns the time of a pass of so many tokens, in ms; until one is measured, as a multiple of a pass of one. */
  of(tokens: number): number;
}

/** Until it is measured, the time of a pass grows with this power of its tokens: 1.5 times for 4, 2.3 times for 16. */
const GROWTH = 0.3;
/** Passes up to this many tokens are told apart: about half as many kinds as that. */
const MOST_TOKENS = 512;
/** A time that is off moves what is known by this share at most: one slow pass says little. */
const STEP = 0.1;
/** What is known of other numbers of tokens moves by this share to what the growth makes of it: it may be old, or was slow by chance. */
const DRIFT = 0.003;

export function createPassTimes(): PassTimes {
  const times = new Map<number, number>();

  /** The measured times next to a number of tokens, below and above. */
  const about = (tokens: number) => {
    const kinds = [...times.keys()].sort((a, b) => a - b);
    return { below: kinds.findLast((kind) => kind <= tokens), above: kinds.find((kind) => kind >= tokens) };
  };
  const timeOf = (tokens: number): number => {
    const { below, above } = about(tokens);
    const near = below ?? above;
    if (near === undefined) return tokens ** GROWTH;
    const known = times.get(near) ?? 1;
    const far = below === undefined || above === undefined || below === above ? undefined : above;
    if (far === undefined) return known * (tokens / near) ** GROWTH;
    const share = Math.log(tokens / near) / Math.log(far / near);
    return known * ((times.get(far) ?? 1) / known) ** share;
  };

  return {
    note(tokens, ms) {
      if (tokens < 1 || tokens > MOST_TOKENS || ms <= 0) return;
      const kind = kindOf(tokens);
      const known = times.get(kind) ?? ms;
      const time = Math.min(Math.max(ms, known * (1 - STEP)), known * (1 + STEP));
      for (const [other, old] of times) times.set(other, old + DRIFT * (time * (other / kind) ** GROWTH - old));
      times.set(kind, time);
    },
    of: timeOf,
  };
}

/** Tokens of passes that take about as long: exact up to 4, then in steps of a half power of two. */
function kindOf(tokens: number): number {
  return tokens <= 4 ? tokens : Math.round(2 ** (Math.round(2 * Math.log2(tokens)) / 2));
}

/** What the latest forward pass had, and how long passes take. All replies of a context share it. */
export interface Passes {
  readonly times: PassTimes;
  /** The tokens of the latest pass, prompts included, and the number of replies that were written in it. */
  readonly latest: { tokens: number; replies: number };
  /** Begins a pass of these numbers of tokens, one for each sequence. */
  begin(widths: number[], replies: number): void;
  /** Ends it, so many ms later. */
  end(ms: number): void;
}

export function createPasses(): Passes {
  const times = createPassTimes();
  let latest = { tokens: 1, replies: 1 };
  let even = true;
  return {
    times,
    get latest() {
      return latest;
    },
    begin(widths, replies) {
      latest = { tokens: sum(widths), replies };
      even = widths.every((width) => width === widths[0]);
    },
    end(ms) {
      // llama.cpp cuts a pass in several where the sequences bring unequal numbers of tokens.
      if (even) times.note(latest.tokens, ms);
    },
  };
}

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

/** The lengths that are weighed against one another. */
const LENGTHS = [1, 2, 3, 4, 6, 8, 12, 16];
/** What is taken for the share of right guesses at first, and how many guesses that counts for. */
const FIRST_SHARE = 0.6;
const FIRST_WEIGHT = 2;
/** What earlier guesses still count after another, and after a pass in which none was worth it. */
const KEPT = 0.9;
const KEPT_IDLE = 0.99;
/** A guess has to gain this much, because what is measured is not exact. */
const WORTH = 1.05;

export function createDraftLength(times: PassTimes): DraftLength {
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
      for (const length of LENGTHS) {
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
