import type { Token } from '../llama/tokens/token.ts';
import type { PassTimes } from '../step/pass-times.ts';
import { createDraftLength, type DraftLength } from './draft-length.ts';
import type { DraftModel } from './draft-model.ts';
import type { Guide } from './guide.ts';
import type { PromptLookup } from './prompt-lookup.ts';

/** Guesses the next tokens of a reply. */
export interface Speculation {
  /**
   * Returns a guess of at most `room` tokens; none if a guess is not worth its time.
   *
   * @param pending the number of tokens that the reply has in the next pass without the guess
   */
  guess(pending: number, room: number): Promise<Token[]>;
  /** Notes how many tokens at the beginning of the latest guess were right. */
  note(right: number): void;
}

/** The sources of guesses. The success of each one is counted separately. */
export interface Guessers {
  /** Follows the reply in its grammar. */
  guide?: Pick<Guide, 'likely'> | undefined;
  lookup: Pick<PromptLookup, 'update' | 'guess'>;
  /** A draft model that reads the text so far. */
  draft?: { model: Pick<DraftModel, 'tokenMs' | 'guess'>; history: readonly Token[] } | undefined;
}

/**
 * Guesses the tokens that the grammar makes likely; else the tokens after an earlier occurrence of the latest ones;
 * else the tokens of the draft model. Guesses only while no other reply is generated: llama.cpp cuts a pass into
 * micro-batches in which all sequences have equally many tokens, and each micro-batch reads all weights. Other replies
 * would wait for a micro-batch of guesses alone.
 */
export function createSpeculation(times: PassTimes, { guide, lookup, draft }: Guessers): Speculation {
  const newLength = () => createDraftLength(times.lines);
  const [byGrammar, byLookup, byDraft] = [newLength(), newLength(), newLength()];
  let latest: { length: DraftLength; tokens: number } | undefined;
  /** The number of tokens that this reply had in the pass before. */
  let own = 1;

  /** Guesses for a pass that has `without` other tokens. Also returns the length rule of the source that guessed. */
  const ask = async (without: number, room: number): Promise<{ length: DraftLength; guess: Token[] }> => {
    const likely = guide?.likely() ?? [];
    if (likely.length > 0) {
      return { length: byGrammar, guess: likely.slice(0, Math.min(room, byGrammar.choose(without))) };
    }
    lookup.update();
    const found = lookup.guess(1).length > 0 ? Math.min(room, byLookup.choose(without)) : 0;
    if (found > 0 || !draft) return { length: byLookup, guess: lookup.guess(found) };
    const count = Math.min(room, byDraft.choose(without, draft.model.tokenMs ?? 0));
    return { length: byDraft, guess: count > 0 ? await draft.model.guess(draft.history, count) : [] };
  };

  return {
    async guess(pending, room) {
      const { tokens, replies } = times.latest;
      const without = pending + Math.max(0, tokens - own);
      latest = undefined;
      own = pending;
      if (room <= 0 || replies > 1) return [];
      const { length, guess } = await ask(without, room);
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
