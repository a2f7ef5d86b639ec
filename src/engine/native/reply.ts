import type { FinishReason } from '../../contract/events.ts';
import type { Gain, Proposal, TokenSource } from './draw/token-source.ts';
import type { Sequence } from './llama/sequence.ts';
import type { Token } from './llama/tokens/token.ts';
import { createReplyText, type ReplyText, type ReplyTextOptions } from './reply-text.ts';

/** The options of one reply. */
interface ReplyParts extends ReplyTextOptions {
  /** The tokens before the reply, and those of the reply that a previous engine drew. */
  prompt: readonly Token[];
  sequence: Pick<Sequence, 'room' | 'truncate'>;
  source: Pick<TokenSource, 'propose'>;
}

/** The reply of one generation, after the prefill: the tokens that it has gained, and those to evaluate next. */
export interface Reply {
  /** The number of tokens, those of a previous engine included. */
  readonly tokens: number;
  /** The tokens that the next step evaluates; undefined before the first gain. */
  readonly proposal: Proposal | undefined;
  /**
   * Adds a gain, and drops the wrong guesses from the sequence, whose first `held` tokens are right. Resolves to true if
   * the reply has ended. Throws if the sequence cannot be cut, or if the next tokens cannot be proposed.
   */
  take(gain: Gain, held: number): Promise<boolean>;
}

/** Makes the reply of one generation. */
export function createReply(options: ReplyParts): Reply {
  const { prompt, sequence, source, maxTokens } = options;
  const text = createReplyText(options);
  let proposal: Proposal | undefined;

  return {
    get tokens() {
      return text.tokens;
    },
    get proposal() {
      return proposal;
    },
    async take(gain, held) {
      const ending = addGain(text, gain, sequence.room - prompt.length);
      await sequence.truncate(Math.min(held + gain.kept, prompt.length + text.added));
      if (ending) {
        text.finish(ending);
        return true;
      }
      const left = maxTokens === null ? Number.POSITIVE_INFINITY : maxTokens - text.tokens;
      const room = sequence.room - prompt.length - text.added;
      proposal = await source.propose(Math.min(left, room) - 1);
      return false;
    },
  };
}

/**
 * Adds the tokens of a gain to a reply until one ends it, and returns the reason; null if the reply goes on.
 *
 * @param room the number of tokens of the reply that the sequence can hold
 */
export function addGain(
  text: Pick<ReplyText, 'add' | 'added'>,
  { tokens, ended }: Gain,
  room: number,
): FinishReason | null {
  for (const drawn of tokens) {
    const ending = text.add(drawn);
    if (ending) return ending;
    // The token itself needs a cell in the context before another token can follow.
    if (text.added >= room) return 'length';
  }
  return ended ? 'stop' : null;
}
