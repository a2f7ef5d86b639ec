import { CacheFull } from '../llama/context.ts';
import type { GrowingContext } from '../llama/growing-context.ts';
import type { Part } from '../llama/pass-order.ts';
import type { Token } from '../llama/tokens/token.ts';
import { createTrail, type Trail } from './trail.ts';

/** A token that was guessed, and the hidden row from which the next one is guessed. */
export interface Guessed {
  token: Token;
  row: Float32Array;
}

/** The cache of a model's MTP layer, with what each sequence of the model lacks there. One call at a time may be under way. */
export interface RowCache {
  readonly sequences: number;
  trail(sequence: number): Trail;
  /** Drops the tokens of a sequence from a position on; does nothing without one. */
  drop(sequence: number, from: number | undefined): void;
  /** Drops all of a sequence. It begins anew with the next tokens that the model evaluates. */
  forget(sequence: number): void;
  /** Has a sequence hold the first `extent` tokens of another one, as far as both have been followed. */
  copy(from: number, to: number, extent: number): void;
  /** Evaluates all that sequences lack. A sequence for which there is no room begins anew. Throws if a pass fails. */
  catchUp(sequences: readonly number[], threads: number): Promise<void>;
  /**
   * Evaluates parts with hidden rows, and returns the best next token after each part. Throws `CacheFull` if there is no room
   * for them, and a plain error if the pass fails.
   */
  guess(parts: readonly Part[], threads: number, isBrief: boolean): Promise<Guessed[]>;
}

/** @param width the numbers of a hidden row */
export function createRowCache(growing: GrowingContext, width: number): RowCache {
  const { sequences, batchSize, unified } = growing.context;
  const trails = Array.from({ length: sequences }, () => createTrail(width));
  const trail = (sequence: number): Trail => {
    const found = trails[sequence];
    if (!found) throw new RangeError(`there is no sequence ${sequence}`);
    return found;
  };
  const drop = (sequence: number, from: number | undefined) => {
    if (from !== undefined) growing.context.remove(sequence, from);
  };
  const forget = (sequence: number) => {
    trail(sequence).cut(0);
    drop(sequence, 0);
  };

  /** Runs one pass, in a larger context if this one has no room for it. */
  const decode = async (parts: readonly Part[], threads: number, isBrief = false) => {
    const release = growing.hold();
    try {
      const longest = Math.max(...parts.map(({ at, tokens }) => at + tokens.length));
      if (longest > growing.room) await growing.grow(longest + batchSize);
      if (longest > growing.room) throw new CacheFull('the cache of the MTP layer has no room');
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

  /** Returns parts of what sequences lack, for one pass. */
  const lackedBy = (behind: readonly number[]): Part[] => {
    let left = batchSize;
    return behind.flatMap((sequence) => {
      const { at, tokens, hidden } = trail(sequence).pairs(left);
      left -= tokens.length;
      return tokens.length > 0 ? { sequence, at, tokens, hidden, logitsAt: [] } : [];
    });
  };

  const catchUp = async (behind: readonly number[], threads: number): Promise<void> => {
    for (let parts = lackedBy(behind); parts.length > 0; parts = lackedBy(behind)) {
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
  const guessIn = async (parts: readonly Part[], threads: number, isBrief: boolean): Promise<Guessed[]> => {
    const places = await decode(parts, threads, isBrief);
    return places.map(([place = -1]) => {
      const { highestAt, hidden } = growing.context;
      const [token] = highestAt(place, 1).tokens;
      if (token === undefined || !hidden) throw new Error('the MTP layer gives no token');
      return { token, row: hidden.at(place, 1) };
    });
  };

  return {
    sequences,
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
    async guess(parts, threads, isBrief) {
      if (unified) return guessIn(parts, threads, isBrief);
      // With a cache for each sequence, it is unknown which hidden row of a pass is whose.
      const all: Guessed[] = [];
      for (const part of parts) all.push(...(await guessIn([part], threads, isBrief)));
      return all;
    },
  };
}
