import { sum } from '../../../utils/sum.ts';
import { createTurns } from '../../../utils/turns.ts';
import { nextTurn } from '../../node/next-turn.ts';
import { CacheFull } from '../llama/context.ts';
import type { Follower } from '../llama/follower.ts';
import type { HiddenRows, RowPart } from '../llama/hidden/hidden-rows.ts';
import { FILLER, type Part } from '../llama/pass-order.ts';
import type { Token } from '../llama/tokens/token.ts';
import { createTokenTimes } from '../step/pass-times.ts';
import type { GuessPart, HeadCache } from './head-cache.ts';
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

/** A sequence that lags behind this far is caught up with. Fewer tokens wait for the next guess, which evaluates them too. */
const MOST_LAG = 64;
/** A batch of a prompt counts as so many passes without a guess: it is read for the guesses of a reply. */
const IDLE_OF_BATCH = 4;
/** A pass that is expected to take less time, in ms, is computed while the event loop waits. */
const BRIEF_MS = 20;
/** The number of passes that are measured at first. The very first ones take longer: weights are read, buffers are allocated. */
const FIRST_PASSES = 4;

interface Asked {
  sequence: number;
  drawn: Token;
  count: number;
  guessed: Token[];
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
  const times = createTokenTimes();
  let asked: Asked[] = [];
  let ended = false;
  const rest = createRest();

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

  /** Forgets all sequences when the head begins to rest: they go on without it. */
  const addIdle = (passes: number) => {
    if (!rest.noteIdle(passes)) return;
    for (let sequence = 0; sequence < cache.sequences; sequence++) cache.forget(sequence);
  };
  const note = (
    { sequence, at, position = at, tokens, rows: media }: Part,
    rows: readonly Float32Array[] | undefined,
  ) => {
    const trail = cache.trail(sequence);
    if (rows && !media) cache.drop(sequence, trail.pass(position, tokens, rows));
    // An image has no tokens to guess from.
    else cache.forget(sequence);
  };
  const followPass = async (parts: readonly Part[], hidden: HiddenRows | undefined, threads: number) => {
    let place = 0;
    for (const part of parts) {
      note(part, hidden && rowsOf(part, place, hidden));
      place += part.tokens.length;
    }
    const behind = parts.map(({ sequence }) => sequence).filter((sequence) => cache.trail(sequence).lag >= MOST_LAG);
    if (behind.length === 0) return;
    await cache.catchUp(behind, threads);
    addIdle(IDLE_OF_BATCH);
  };

  const isBriefFor = (replies: number) => !times.empty && times.of(replies) < BRIEF_MS;

  /** Guesses one token more for each. `parts` has what is evaluated for it. */
  const guessNext = async (going: readonly Asked[], parts: readonly GuessPart[]): Promise<void> => {
    const isBrief = isBriefFor(going.length);
    if (isBrief) await nextTurn();
    const guessed = await cache.guess(parts, threads(), isBrief);
    for (const [index, one] of going.entries()) one.guessed.push(...(guessed[index] ? [guessed[index].token] : []));
    const more = going.flatMap((one, index): { one: Asked; part: GuessPart }[] => {
      const [part, found] = [parts[index], guessed[index]];
      if (!part || !found || one.guessed.length >= one.count) return [];
      const at = part.at + part.tokens.length;
      return [{ one, part: { sequence: one.sequence, at, tokens: [found.token], hidden: found.row } }];
    });
    if (more.length > 0)
      await guessNext(
        more.map(({ one }) => one),
        more.map(({ part }) => part),
      );
  };
  const guessFor = async (all: readonly Asked[]): Promise<void> => {
    const going = all.filter(({ sequence }) => cache.trail(sequence).canGoAhead);
    const sequences = going.map(({ sequence }) => sequence);
    if (going.length === 0) return;
    if (sum(sequences.map((sequence) => cache.trail(sequence).lag + 1)) > cache.batchSize)
      await cache.catchUp(sequences, threads());
    const since = performance.now();
    const parts: GuessPart[] = [];
    for (const { sequence, drawn } of going)
      parts.push(await cache.ahead(sequence, MOST_LAG, drawn, threads(), isBriefFor(going.length)));
    await guessNext(going, parts);
    const passes = Math.max(...going.map(({ guessed }) => guessed.length));
    times.note(going.length, (performance.now() - since) / passes);
    // The guessed tokens are evaluated again, with the model's own rows.
    for (const [index, { sequence, drawn }] of going.entries())
      cache.drop(sequence, cache.trail(sequence).evaluated(parts[index]?.tokens.length ?? 0, drawn));
  };
  const answer = async () => {
    const all = asked;
    asked = [];
    await work(async () => {
      try {
        await guessFor(all);
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
    tokenMs: (replies) => (times.empty ? 0 : times.of(replies)),
    warmUp: () =>
      work(async () => {
        for (let pass = 0; pass < FIRST_PASSES; pass++) {
          const since = performance.now();
          await cache.guess([await cache.ahead(0, 0, FILLER, threads(), false)], threads(), false);
          if (pass > 0) times.note(1, performance.now() - since);
          cache.forget(0);
        }
      }),
    passed: (parts, hidden, threads) => work(() => followPass(parts, hidden, threads)),
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

/** Returns the hidden row of each token of a part, whose first token has this place in the pass. */
function rowsOf({ tokens }: Part, place: number, hidden: HiddenRows): Float32Array[] {
  const all = hidden.at(place, tokens.length);
  const width = all.length / tokens.length;
  return tokens.map((_, index) => all.subarray(index * width, (index + 1) * width));
}
