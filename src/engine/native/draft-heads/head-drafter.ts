import { createTurns } from '../../../utils/turns.ts';
import { CacheFull } from '../llama/context.ts';
import type { Follower } from '../llama/follower.ts';
import type { RowPart } from '../llama/hidden/hidden-rows.ts';
import type { Token } from '../llama/tokens/token.ts';
import { followPass } from './follow-pass.ts';
import type { HeadCache } from './head-cache.ts';
import { createHeadGuesses, type GuessRequest } from './head-guesses.ts';
import { createRest } from './rest.ts';

/** A draft head guesses the next tokens of a model's replies from its hidden rows: the model's MTP layer, or an EAGLE-3 draft model. */
export interface HeadDrafter extends Follower {
  /** What the hidden rows consist of that the passes of the model have to give. */
  readonly parts: readonly RowPart[];
  /** Returns the time to guess one token for each of this many replies together, in ms; 0 before it was measured. */
  tokenMs(replies: number): number;
  /** Measures that time, with some passes. To be called before the first sequence holds tokens. */
  warmUp(): Promise<void>;
  /**
   * Returns the next `count` tokens of a sequence after the token that was drawn last, which the model has not evaluated yet;
   * none if it cannot. Replies that ask in the same turn of the event loop have their guesses computed together. Never rejects.
   */
  guess(sequence: number, drawn: Token, count: number): Promise<Token[]>;
  /** Notes that a reply found no guess worth its time. After many of them, the head rests for a time. */
  noteIdle(): void;
  /** Notes how many tokens of its latest guess were right. */
  noteRight(count: number): void;
  /** Ends all work on the cache. There are no guesses from then on. */
  stop(): void;
}

/** A batch of a prompt counts as so many passes without a guess: it is read for the guesses of a reply. */
const IDLE_OF_BATCH = 4;

/** A request that waits for the turn in which it is answered. */
interface Asked extends GuessRequest {
  resolve: (tokens: Token[]) => void;
}

export interface HeadDrafterOptions {
  cache: HeadCache;
  /** What the hidden rows of the model consist of. */
  parts: readonly RowPart[];
  /** Returns the number of threads to guess with. */
  threads: () => number;
  /** Called once, if a pass fails: there are no guesses from then on. */
  onFailure: (error: unknown) => void;
}

/** Makes the drafter that guesses with this cache. */
export function createHeadDrafter({ cache, parts: rowParts, threads, onFailure }: HeadDrafterOptions): HeadDrafter {
  const inTurn = createTurns();
  const guesses = createHeadGuesses(cache, threads);
  const rest = createRest();
  let asked: Asked[] = [];
  let ended = false;

  /** Runs work on the cache after the work before it. A failure ends all work. */
  const work = (run: () => Promise<void> | void) =>
    inTurn(async () => {
      if (ended) return;
      try {
        await run();
      } catch (error) {
        if (!ended) onFailure(error);
        ended = true;
      }
    });

  /**
   * Forgets all sequences when the head begins to rest: they go on without it. When it wakes, a guess is tried and measured: without
   * that, a time from a busy moment could keep it from ever guessing again.
   */
  const addIdle = (passes: number) => {
    if (!rest.noteIdle(passes)) return;
    guesses.forgetTimes();
    for (let sequence = 0; sequence < cache.sequences; sequence++) cache.forget(sequence);
  };

  /** Answers all that have asked in this turn of the event loop. */
  const answer = async () => {
    const all = asked;
    asked = [];
    await work(async () => {
      try {
        await guesses.guess(all);
      } catch (error) {
        if (!(error instanceof CacheFull)) throw error;
        for (const { sequence } of all) cache.forget(sequence);
      }
    });
    for (const { resolve, guessed } of all) resolve(ended ? [] : guessed);
  };

  return {
    parts: rowParts,
    get follows() {
      return !ended && !rest.rests;
    },
    tokenMs: guesses.tokenMs,
    warmUp: () => work(guesses.warmUp),
    passed: (parts, hidden, threads) =>
      work(async () => {
        if (await followPass(cache, parts, hidden, threads)) addIdle(IDLE_OF_BATCH);
      }),
    truncated: (sequence, extent) => work(() => cache.drop(sequence, cache.trail(sequence).cut(extent))),
    copied: (from, to, extent) => work(() => cache.copy(from, to, extent)),
    guess(sequence, drawn, count) {
      if (rest.rests) {
        // If it wakes, it knows nothing of this reply yet.
        rest.noteAsked();
        return Promise.resolve([]);
      }
      return new Promise((resolve) => {
        asked.push({ sequence, drawn, count, guessed: [], resolve });
        if (asked.length === 1) setImmediate(answer);
      });
    },
    noteIdle: () => void work(() => addIdle(1)),
    noteRight: rest.noteRight,
    stop() {
      ended = true;
    },
  };
}
