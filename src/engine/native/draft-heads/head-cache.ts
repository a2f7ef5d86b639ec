import { CacheFull } from '../llama/context.ts';
import type { GrowingContext } from '../llama/growing-context.ts';
import type { Part } from '../llama/pass-order.ts';
import type { Token } from '../llama/tokens/token.ts';
import { createHeadPasses, type Guessed, type GuessPart } from './head-passes.ts';
import { createTrail, type Trail } from './trail.ts';

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

/** @param width the numbers of a hidden row of the model */
export function createHeadCache(growing: GrowingContext, width: number): HeadCache {
  const { sequences, batchSize, unified } = growing.context;
  const passes = createHeadPasses(growing);
  const trails = Array.from({ length: sequences }, () => createTrail(width, passes.first));
  const trail = (sequence: number): Trail => {
    const found = trails[sequence];
    if (!found) throw new RangeError(`there is no sequence ${sequence}`);
    return found;
  };
  const drop = (sequence: number, from: number | undefined) => {
    if (from !== undefined) growing.context.remove(sequence, passes.placeOf(from));
  };
  const forget = (sequence: number) => {
    trail(sequence).cut(0);
    drop(sequence, 0);
  };

  /** Returns parts of what sequences lack, for one pass. */
  const lackedBy = async (behind: readonly number[], threads: number): Promise<Part[]> => {
    const parts: Part[] = [];
    let left = batchSize;
    for (const sequence of behind) {
      const pairs = trail(sequence).pairs(left);
      left -= pairs.tokens.length;
      if (pairs.tokens.length === 0) continue;
      parts.push({ sequence, ...(await passes.rowsFor(pairs, threads, false)), logitsAt: [] });
    }
    return parts;
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
    async catchUp(behind, threads) {
      for (let parts = await lackedBy(behind, threads); parts.length > 0; parts = await lackedBy(behind, threads)) {
        try {
          await passes.evaluate(parts, threads);
          for (const { sequence, tokens } of parts) trail(sequence).evaluated(tokens.length);
        } catch (error) {
          if (!(error instanceof CacheFull)) throw error;
          for (const { sequence } of parts) forget(sequence);
        }
      }
    },
    async ahead(sequence, most, drawn, threads, isBrief) {
      return { sequence, ...(await passes.rowsFor(trail(sequence).pairs(most, drawn), threads, isBrief)) };
    },
    guess: passes.guess,
  };
}
