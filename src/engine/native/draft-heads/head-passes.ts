import { CacheFull } from '../llama/context.ts';
import type { GrowingContext } from '../llama/growing-context.ts';
import type { Part } from '../llama/pass-order.ts';
import type { Token } from '../llama/tokens/token.ts';
import type { Pairs } from './trail.ts';

/** A token that was guessed, and the hidden row from which the next one is guessed. */
export interface Guessed {
  token: Token;
  row: Float32Array;
}

/** Tokens of a sequence with the rows from which the token after them is guessed. */
export type GuessPart = Pick<Part, 'sequence' | 'at' | 'tokens' | 'hidden'>;

/** Runs the passes of a draft head's context, which grows when they need more room. One call at a time may be under way. */
export interface HeadPasses {
  /** The position of the first token of a text that the head evaluates: 0 or 1. */
  readonly first: 0 | 1;
  /** Returns where the KV cache has the token at this position of a text. */
  placeOf(position: number): number;
  /** Turns rows of the model into those that the context takes: its own, if it has an encoder. Throws if llama.cpp cannot. */
  rowsFor(pairs: Pairs, threads: number, isBrief: boolean): Promise<Pairs>;
  /** Evaluates parts. Throws `CacheFull` if there is no room for them, and a plain error if the pass fails. */
  evaluate(parts: readonly Part[], threads: number): Promise<void>;
  /** Evaluates parts, and returns the best next token after each part. Throws as `evaluate` does. */
  guess(parts: readonly GuessPart[], threads: number, isBrief: boolean): Promise<Guessed[]>;
}

/** @param growing the context of the draft head; a pass that needs more room has it grow */
export function createHeadPasses(growing: GrowingContext): HeadPasses {
  const { batchSize, unified, encode } = growing.context;
  // An EAGLE-3 draft model knows no row before the first token of a text. It evaluates the second one at the first position.
  const first = encode ? 1 : 0;
  const placeOf = (position: number) => Math.max(0, position - first);

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
    first,
    placeOf,
    async rowsFor(pairs, threads, isBrief) {
      const { context } = growing;
      if (!context.encode) return pairs;
      context.setThreads(threads);
      return { ...pairs, hidden: await context.encode(pairs.hidden, pairs.tokens.length, isBrief) };
    },
    async evaluate(parts, threads) {
      await decode(parts, threads);
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

/** Asks for the highest logits after the last token of a part. */
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
