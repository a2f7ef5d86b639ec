import { sum } from '../../../utils/sum.ts';
import { nextTurn } from '../../node/next-turn.ts';
import { FILLER } from '../llama/pass-order.ts';
import type { Token } from '../llama/tokens/token.ts';
import { createTokenTimes } from '../step/pass-times.ts';
import { MOST_LAG } from './follow-pass.ts';
import type { HeadCache } from './head-cache.ts';
import type { Guessed, GuessPart } from './head-passes.ts';

/** What a reply wants guessed: `count` tokens after the token that was drawn last. `guessed` takes them. */
export interface GuessRequest {
  readonly sequence: number;
  readonly drawn: Token;
  readonly count: number;
  readonly guessed: Token[];
}

/** A request with what the next pass evaluates for it. */
export interface Going {
  request: GuessRequest;
  part: GuessPart;
}

/** Computes the guesses of several replies together, one token of each in a pass. One call at a time may be under way. */
export interface HeadGuesses {
  /** Returns the time in which one token is guessed for each of so many replies, in ms; 0 before any was measured. */
  tokenMs(replies: number): number;
  /** Forgets that time, so that the next guess measures it anew: it may be that of a moment in which the machine was busy. */
  forgetTimes(): void;
  /** Measures that time. To be called before the first sequence holds tokens. Throws if a pass fails. */
  warmUp(): Promise<void>;
  /**
   * Guesses for all requests whose sequences are known up to the drawn token. Throws `CacheFull` if there is no room, and a plain
   * error if a pass fails.
   */
  guess(requests: readonly GuessRequest[]): Promise<void>;
}

/** A pass that is expected to take less time, in ms, is computed while the event loop waits. */
const BRIEF_MS = 20;
/** The number of passes that are measured at first. The very first ones take longer: weights are read, buffers are allocated. */
const FIRST_PASSES = 4;

/**
 * Makes the guesses of a draft head.
 *
 * @param threads returns the number of threads to guess with
 */
export function createHeadGuesses(
  cache: Pick<HeadCache, 'trail' | 'drop' | 'forget' | 'batchSize' | 'catchUp' | 'ahead' | 'guess'>,
  threads: () => number,
): HeadGuesses {
  let times = createTokenTimes();
  const isBriefFor = (replies: number) => !times.empty && times.of(replies) < BRIEF_MS;

  /** Guesses one token more for each request, and then for those that want more. */
  const guessNext = async (going: readonly Going[]): Promise<void> => {
    const isBrief = isBriefFor(going.length);
    if (isBrief) await nextTurn();
    const parts = going.map(({ part }) => part);
    const more = takeGuessed(going, await cache.guess(parts, threads(), isBrief));
    if (more.length > 0) await guessNext(more);
  };

  return {
    tokenMs: (replies) => (times.empty ? 0 : times.of(replies)),
    forgetTimes() {
      times = createTokenTimes();
    },
    async warmUp() {
      for (let pass = 0; pass < FIRST_PASSES; pass++) {
        const since = performance.now();
        await cache.guess([await cache.ahead(0, 0, FILLER, threads(), false)], threads(), false);
        if (pass > 0) times.note(1, performance.now() - since);
        cache.forget(0);
      }
    },
    async guess(all) {
      const requests = all.filter(({ sequence }) => cache.trail(sequence).canGoAhead);
      if (requests.length === 0) return;
      const sequences = requests.map(({ sequence }) => sequence);
      if (sum(sequences.map((sequence) => cache.trail(sequence).lag + 1)) > cache.batchSize)
        await cache.catchUp(sequences, threads());
      const since = performance.now();
      const going: Going[] = [];
      for (const request of requests) {
        const { sequence, drawn } = request;
        const part = await cache.ahead(sequence, MOST_LAG, drawn, threads(), isBriefFor(requests.length));
        going.push({ request, part });
      }
      await guessNext(going);
      const passes = Math.max(...requests.map(({ guessed }) => guessed.length));
      times.note(requests.length, (performance.now() - since) / passes);
      // The guessed tokens are evaluated again, with the model's own rows.
      for (const { request, part } of going) {
        const { sequence, drawn } = request;
        cache.drop(sequence, cache.trail(sequence).evaluated(part.tokens.length, drawn));
      }
    },
  };
}

/** Adds the tokens that a pass has guessed to their requests. Returns the requests that want more, with their next parts. */
export function takeGuessed(going: readonly Going[], guessed: readonly Guessed[]): Going[] {
  return going.flatMap(({ request, part }, index) => {
    const found = guessed[index];
    if (!found) return [];
    request.guessed.push(found.token);
    if (request.guessed.length >= request.count) return [];
    const at = part.at + part.tokens.length;
    return [{ request, part: { sequence: request.sequence, at, tokens: [found.token], hidden: found.row } }];
  });
}
