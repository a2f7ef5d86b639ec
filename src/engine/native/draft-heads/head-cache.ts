import { CacheFull } from '../llama/context.ts';
import type { GrowingContext } from '../llama/growing-context.ts';
import type { Part } from '../llama/pass-order.ts';
import type { Token } from '../llama/tokens/token.ts';
import { createTrail, type Pairs, type Trail } from './trail.ts';

/** A token that was guessed, and the hidden row from which the next one is guessed. */
export interface Guessed {
  token: Token;
  row: Float32Array;
}

/**
 * The KV cache of a draft head (an MTP layer or an EAGLE-3 draft model), with what each sequence of the model lacks there. One call at
 * a time may be under way.
 */
export interface HeadCache {
  readonly sequences: number;
  /** The most tokens of one pass. */
  readonly batchSize: number;
  trail(sequence: number): Trail;
  /** Drops the tokens of a sequence from a position on; does nothing without one. */
  drop(sequence: number, from: number | undefined): void;
  /** Drops all of a sequence. It begins anew with the next tokens that the model evaluates. */
  forget(sequence: number): void;
  /** Has a sequence hold the first `extent` tokens of another one, as far as both have been followed. */
  copy(from: number, to: number, extent: number): void;
  /** Evaluates all that sequences lack. A sequence for which there is no room begins anew. Throws if a pass fails. */
  catchUp(sequences: readonly number[], threads: number): Promise<void>;
  /** Returns the next tokens that a sequence lacks, `most` of them or fewer, and a drawn one after them, to be guessed from. */
  ahead(sequence: number, most: number, drawn: Token, threads: number, isBrief: boolean): Promise<GuessPart>;
  /**
   * Evaluates parts, and returns the best next token after each part. Throws `CacheFull` if there is no room for them, and a plain
   * error if the pass fails.
   */
  guess(parts: readonly GuessPart[], threads: number, isBrief: boolean): Promise<Guessed[]>;
}

/** Tokens of a sequence with the rows from which the token after them is guessed. */
export type GuessPart = Pick<Part, 'sequence' | 'at' | 'tokens' | 'hidden'>;

/** @param width the numbers of a hidden row of the model */
export function createHeadCache(growing: GrowingContext, width: number): HeadCache {
  const { sequences, batchSize, unified, encode } = growing.context;
  // An EAGLE-3 draft model knows no row before the first token of a text. It evaluates the second one at the first position.
  const first = encode ? 1 : 0;
  const trails = Array.from({ length: sequences }, () => createTrail(width, first));
  const trail = (sequence: number): Trail => {
    const found = trails[sequence];
    if (!found) throw new RangeError(`there is no sequence ${sequence}`);
    return found;
  };
  const placeOf = (position: number) => Math.max(0, position - first);
  const drop = (sequence: number, from: number | undefined) => {
    if (from !== undefined) growing.context.remove(sequence, placeOf(from));
  };
  const forget = (sequence: number) => {
    trail(sequence).cut(0);
    drop(sequence, 0);
  };

  /** Runs one pass, in a larger context if this one has no room for it. */
  const decode = async (all: readonly Part[], threads: number, isBrief = false) => {
    const parts = all.map((part) => ({ ...part, position: placeOf(part.at) }));
    const release = growing.hold();
    try {
      const longest = Math.max(...parts.map(({ at, tokens }) => at + tokens.length));
      if (longest > growing.room) await growing.grow(longest + batchSize);
      if (longest > growing.room) throw new CacheFull('the cache of the guesses has no room');
      const run = () => {
        growing.context.setThreads(threads);
        return growing.context.decode(parts, { isBrief });
      };
      return await run().catch(async (error: unknown) => {
        if (error instanceof CacheFull && (await growing.expand())) return run();
        throw error;
      });
    } finally {
      release();
    }
  };

  /** Turns rows of the model into those that the context takes: its own, if it has an encoder. */
  const rowsFor = async (pairs: Pairs, threads: number, isBrief: boolean): Promise<Pairs> => {
    const { context } = growing;
    if (!context.encode) return pairs;
    context.setThreads(threads);
    return { ...pairs, hidden: await context.encode(pairs.hidden, pairs.tokens.length, isBrief) };
  };

  /** Returns parts of what sequences lack, for one pass. */
  const lackedBy = async (behind: readonly number[], threads: number): Promise<Part[]> => {
    const parts: Part[] = [];
    let left = batchSize;
    for (const sequence of behind) {
      const pairs = trail(sequence).pairs(left);
      left -= pairs.tokens.length;
      if (pairs.tokens.length > 0) parts.push({ sequence, ...(await rowsFor(pairs, threads, false)), logitsAt: [] });
    }
    return parts;
  };

  const catchUp = async (behind: readonly number[], threads: number): Promise<void> => {
    for (let parts = await lackedBy(behind, threads); parts.length > 0; parts = await lackedBy(behind, threads)) {
      try {
        await decode(parts, threads);
        for (const { sequence, tokens } of parts) trail(sequence).evaluated(tokens.length);
      } catch (error) {
        if (!(error instanceof CacheFull)) throw error;
        for (const { sequence } of parts) forget(sequence);
      }
    }
  };

  /** Guesses with one pass. */
  const guessIn = async (parts: readonly GuessPart[], threads: number, isBrief: boolean): Promise<Guessed[]> => {
    const places = await decode(parts.map(encode ? withAllLogits : withLastLogits), threads, isBrief);
    return places.map((all) => {
      const { highestAt, hidden } = growing.context;
      const place = all.at(-1) ?? -1;
      const [token] = highestAt(place, 1).tokens;
      if (token === undefined || !hidden) throw new Error('no token was guessed');
      return { token, row: hidden.at(place, 1) };
    });
  };

  return {
    sequences,
    batchSize,
    trail,
    drop,
    forget,
    copy(from, to, extent) {
      // Without shared cells, llama.cpp copies the bytes with the next pass, before which the context must not grow.
      if (!unified) return forget(to);
      drop(to, 0);
      growing.context.copy(from, to);
      drop(to, trail(to).copy(trail(from), extent));
    },
    catchUp,
    async ahead(sequence, most, drawn, threads, isBrief) {
      return { sequence, ...(await rowsFor(trail(sequence).pairs(most, drawn), threads, isBrief)) };
    },
    async guess(parts, threads, isBrief) {
      if (unified) return guessIn(parts, threads, isBrief);
      // With a cache for each sequence, it is unknown which hidden row of a pass is whose.
      const all: Guessed[] = [];
      for (const part of parts) all.push(...(await guessIn([part], threads, isBrief)));
      return all;
    },
  };
}

function withLastLogits(part: GuessPart): Part {
  return { ...part, logitsAt: [part.tokens.length - 1], highest: 1 };
}

/**
 * llama.cpp's graph of EAGLE-3 computes the logits of all tokens. If fewer are asked for, it returns the logits of the
 * first tokens, which are the wrong ones.
 */
function withAllLogits(part: GuessPart): Part {
  return { ...part, logitsAt: [...part.tokens.keys()] };
}
