import { createDraftLength, type DraftLength, type Passes } from './draft-length.ts';
import type { Guide } from './guide.ts';
import type { Token } from './llama.ts';
import type { PromptLookup } from './prompt-lookup.ts';

/** Guesses how a reply goes on. */
export interface Speculation {
  /**
   * Returns a guess of at most `room` tokens, none if that is not worth its time.
   *
   * @param pending the number of tokens that the reply has in the next pass without the guess
   */
  guess(pending: number, room: number): Token[];
  /** Notes how many tokens of the latest guess were right, from its beginning on. */
  note(right: number): void;
}

/**
 * Guesses what the grammar makes likely, else what followed when the latest tokens came before. The two are trusted each by its
 * own guesses. Guesses only while no other reply is written: llama.cpp cuts a pass so that all sequences bring equally many
 * tokens to each part, and each part reads all weights. The others would wait for a part that is not theirs.
 */
export function createSpeculation(
  passes: Passes,
  lookup: Pick<PromptLookup, 'update' | 'guess'>,
  guide: Pick<Guide, 'likely'> | undefined,
): Speculation {
  const [byGrammar, byLookup] = [createDraftLength(passes.times), createDraftLength(passes.times)];
  let latest: { length: DraftLength; tokens: number } | undefined;
  /** The tokens that this reply had in the pass before. */
  let own = 1;

  return {
    guess(pending, room) {
      const { tokens, replies } = passes.latest;
      const without = pending + Math.max(0, tokens - own);
      latest = undefined;
      own = pending;
      if (room <= 0 || replies > 1) return [];
      const likely = guide?.likely() ?? [];
      lookup.update();
      if (likely.length === 0 && lookup.guess(1).length === 0) return [];
      const length = likely.length > 0 ? byGrammar : byLookup;
      const count = Math.min(room, length.choose(without));
      const guess = likely.length > 0 ? likely.slice(0, count) : (lookup.guess(count) as Token[]);
      if (guess.length > 0) latest = { length, tokens: guess.length };
      own += guess.length;
      return guess;
    },
    note(right) {
      latest?.length.note(latest.tokens, right);
      latest = undefined;
    },
  };
}
