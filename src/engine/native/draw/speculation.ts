import type { Token } from '../llama/tokens/token.ts';
import type { PassTimes } from '../step/pass-times.ts';
import { createDraftLength, type DraftLength, LONGEST_GUESS } from './draft-length.ts';
import type { DraftModel } from './draft-model.ts';
import type { Guide } from './guide.ts';
import type { PromptLookup } from './prompt-lookup.ts';

/** The tokens that may follow. */
export interface Guess {
  tokens: Token[];
  /** The probability that one of them is right if all before it are. */
  share: number;
}

/** Guesses the next tokens of a reply. */
export interface Speculation {
  /**
   * Returns a guess of at most `room` tokens. The planner of the step decides how many of them are worth their time.
   *
   * @param pending the number of tokens that the reply has in the next pass without the guess
   */
  guess(pending: number, room: number): Promise<Guess>;
  /** Notes how many tokens of the latest guess were evaluated, and how many of these, from the first on, were right. */
  note(evaluated: number, right: number): void;
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
 * Guesses the tokens that the grammar makes likely; else the tokens after an earlier occurrence of the latest ones; else,
 * while no other reply is generated, the tokens of the draft model, which has one text at a time.
 */
export function createSpeculation(times: PassTimes, { guide, lookup, draft }: Guessers): Speculation {
  const newLength = () => createDraftLength(times.lines);
  const [byGrammar, byLookup, byDraft] = [newLength(), newLength(), newLength()];
  let latest: DraftLength | undefined;
  /** The number of tokens that this reply had in the pass before. */
  let own = 1;

  /** Guesses for a pass that has `without` other tokens. Also returns the length rule of the source that guessed. */
  const ask = async (without: number, room: number): Promise<{ length: DraftLength; tokens: Token[] }> => {
    const likely = guide?.likely() ?? [];
    if (likely.length > 0) return { length: byGrammar, tokens: likely.slice(0, room) };
    lookup.update();
    const found = lookup.guess(room);
    const drafts = draft !== undefined && times.latest.replies <= 1;
    if (!drafts || (found.length > 0 && byLookup.choose(without) > 0)) return { length: byLookup, tokens: found };
    const count = Math.min(room, byDraft.choose(without, draft.model.tokenMs ?? 0));
    return { length: byDraft, tokens: count > 0 ? await draft.model.guess(draft.history, count) : [] };
  };

  return {
    async guess(pending, room) {
      const without = pending + Math.max(0, times.latest.tokens - own);
      latest = undefined;
      own = pending;
      if (room <= 0) return { tokens: [], share: 0 };
      const { length, tokens } = await ask(without, Math.min(room, LONGEST_GUESS));
      if (tokens.length > 0) latest = length;
      return { tokens, share: length.share };
    },
    note(evaluated, right) {
      latest?.note(evaluated, right);
      own += evaluated;
      latest = undefined;
    },
  };
}
