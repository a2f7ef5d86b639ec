import type { Token } from '../llama/tokens/token.ts';
import type { PassTimes } from '../step/pass-times.ts';
import {
  createDraftLength,
  createGuessRecord,
  type DraftLength,
  type GuessRecord,
  LONGEST_GUESS,
} from './draft-length.ts';
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

/** A model that guesses the next tokens of one reply: a draft model, or an MTP layer of the reply's own model. */
export interface Draft {
  /** The success of its guesses, if all replies count it together. By default each reply does so by itself. */
  readonly length?: DraftLength;
  /** Returns the time of one guessed token, in ms; 0 before that was measured. */
  tokenMs(): number;
  /**
   * Returns the next `count` tokens, or none.
   *
   * @param pending the number of the reply's latest tokens that are to be evaluated in the next pass
   */
  guess(count: number, pending: number): Promise<Token[]>;
}

/** The sources of guesses. The success of each one is counted separately. */
export interface Guessers {
  /** Follows the reply in its grammar. */
  guide?: Pick<Guide, 'likely'> | undefined;
  lookup: Pick<PromptLookup, 'update' | 'guess'>;
  draft?: Draft | undefined;
}

/** The success of the guesses of all replies of a model, by source. */
export interface GuessRecords {
  grammar: GuessRecord;
  lookup: GuessRecord;
  draft: GuessRecord;
}

/** Makes the records of a model that has guessed nothing yet. */
export function createGuessRecords(): GuessRecords {
  return { grammar: createGuessRecord(), lookup: createGuessRecord(), draft: createGuessRecord() };
}

/**
 * Guesses the tokens that the grammar makes likely; else the tokens after an earlier occurrence of the latest ones; else the
 * tokens of the draft. A draft takes the time of passes of its own, so it is only asked while the reply is alone: other replies and
 * prompts would wait for it.
 */
export function createSpeculation(
  times: PassTimes,
  { guide, lookup, draft }: Guessers,
  records: GuessRecords = createGuessRecords(),
): Speculation {
  const byGrammar = createDraftLength(times.lines, records.grammar);
  const byLookup = createDraftLength(times.lines, records.lookup);
  const byDraft = draft?.length ?? createDraftLength(times.lines, records.draft);
  let latest: DraftLength | undefined;
  /** The number of tokens that this reply had in the pass before. */
  let own = 1;

  /** Guesses for a pass that has `without` other tokens. Also returns the length rule of the source that guessed. */
  const ask = async (without: number, room: number): Promise<{ length: DraftLength; tokens: Token[] }> => {
    const likely = guide?.likely() ?? [];
    if (likely.length > 0) return { length: byGrammar, tokens: likely.slice(0, room) };
    lookup.update();
    const found = lookup.guess(room);
    const isAlone = times.latest.replies <= 1 && without <= own;
    if (!draft || !isAlone || (found.length > 0 && byLookup.choose(without) > 0))
      return { length: byLookup, tokens: found };
    const count = Math.min(room, byDraft.choose(without, draft.tokenMs()));
    return { length: byDraft, tokens: count > 0 ? await draft.guess(count, own) : [] };
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
