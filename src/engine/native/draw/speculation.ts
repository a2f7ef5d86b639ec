import type { Token } from '../llama/tokens/token.ts';
import type { PassTimes } from '../step/pass-times.ts';
import { createDraftLength, type DraftLength, LONGEST_GUESS } from './draft-length.ts';
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
  /** Returns the time of one guessed token for each of so many replies, in ms; 0 before that was measured. */
  tokenMs(replies: number): number;
  /** True if several replies have their tokens guessed in the same time as one. */
  readonly forSeveral: boolean;
  /**
   * Returns the next `count` tokens, or none.
   *
   * @param pending the number of the reply's latest tokens that are to be evaluated in the next pass
   */
  guess(count: number, pending: number): Promise<Token[]>;
}

/** The most passes in a row for which a draft is not asked. */
const MOST_IDLE = 64;

/** The sources of guesses. The success of each one is counted separately. */
export interface Guessers {
  /** Follows the reply in its grammar. */
  guide?: Pick<Guide, 'likely'> | undefined;
  lookup: Pick<PromptLookup, 'update' | 'guess'>;
  draft?: Draft | undefined;
}

/**
 * Guesses the tokens that the grammar makes likely; else the tokens after an earlier occurrence of the latest ones; else the
 * tokens of the draft. A draft model has one text at a time, so it guesses only while no other reply is generated.
 */
export function createSpeculation(times: PassTimes, { guide, lookup, draft }: Guessers): Speculation {
  const newLength = () => createDraftLength(times.lines);
  const [byGrammar, byLookup, byDraft] = [newLength(), newLength(), draft?.length ?? newLength()];
  let latest: DraftLength | undefined;
  /** The number of tokens that this reply had in the pass before. */
  let own = 1;

  /** The number of passes for which the draft is not asked, and that number after the next draft that is not evaluated. */
  let idle = { left: 0, next: 1 };

  /** Guesses for a pass that has `without` other tokens. Also returns the length rule of the source that guessed. */
  const ask = async (without: number, room: number): Promise<{ length: DraftLength; tokens: Token[] }> => {
    const { replies } = times.latest;
    const likely = guide?.likely() ?? [];
    if (likely.length > 0) return { length: byGrammar, tokens: likely.slice(0, room) };
    lookup.update();
    const found = lookup.guess(room);
    const drafts = draft !== undefined && (replies <= 1 || (draft.forSeveral && idle.left-- <= 0));
    if (!drafts || (found.length > 0 && byLookup.choose(without) > 0)) return { length: byLookup, tokens: found };
    const together = draft.forSeveral ? Math.max(1, replies) : 1;
    const count = Math.min(room, byDraft.choose(without, draft.tokenMs(together), together));
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
      // The planner of the step knows the times of the whole pass. A draft that it leaves out has cost time for nothing.
      if (latest === byDraft)
        idle = evaluated > 0 ? { left: 0, next: 1 } : { left: idle.next, next: Math.min(MOST_IDLE, 2 * idle.next) };
      own += evaluated;
      latest = undefined;
    },
  };
}
