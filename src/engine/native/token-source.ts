import type { Place } from './decoder.ts';
import type { Guide } from './guide.ts';
import type { Token } from './llama.ts';
import type { Speculation } from './speculation.ts';
import type { Drawn, TokenDrawer } from './token-drawer.ts';

/** What a reply wants evaluated next. */
export interface Proposal {
  /** The tokens of the reply that have not been evaluated, and a guess of those after them. */
  tokens: Token[];
  /** The indices of those of `tokens` after which logits are wanted, ascending. */
  logitsAt: number[];
}

/** What a reply gains by one step. */
export interface Gain {
  /** The new tokens, in order. */
  tokens: Drawn[];
  /** So many tokens of the proposal are part of the reply. Those after them are not, and have to be dropped. */
  kept: number;
  /** True if the reply ends after the new tokens. */
  ended: boolean;
}

/** Where the tokens of one reply come from. */
export interface TokenSource {
  /** The tokens with which the reply has to begin. They are to be evaluated with the prompt; the first gain has them. */
  readonly opening: Token[];
  /** Says what to evaluate in the next step. The guess in it has at most `room` tokens. */
  propose(room: number): Proposal;
  /** Draws from the logits that were asked for; at first from those of the last token of prompt and opening. */
  draw(places: Place[]): Promise<Gain>;
  close(): void;
}

export interface TokenSourceOptions {
  drawer: TokenDrawer;
  /** Follows the reply in its grammar. */
  guide?: Guide | undefined;
  /** True if tokens that can come in only one way are not to be drawn. */
  forces: boolean;
  /** Guesses tokens. They are drawn as all others are, but several in one forward pass. */
  speculation?: Speculation | undefined;
  /** The most tokens of the reply in one forward pass. */
  mostPerStep: number;
  /** The most tokens with which the reply may begin before one is drawn. */
  mostAtFirst: number;
}

/**
 * Draws the tokens of a reply. A guess is a matter of speed alone: each of its tokens is drawn from its own logits, after the same
 * tokens and with the same random number as without it, and the first one that is drawn differently ends it.
 */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { drawer, speculation, mostPerStep } = options;
  let { guide } = options;
  let guess: Token[] = [];

  const force = (most: number): Token[] => {
    const forced: Token[] = [];
    for (const token of options.forces && guide ? guide.forced().slice(0, Math.max(0, most)) : []) {
      if (!drawer.force(token)) {
        guide = undefined;
        break;
      }
      guide?.take(token);
      forced.push(token);
    }
    return forced;
  };
  const isComplete = () => guide?.complete ?? false;

  const opening = force(Math.min(options.mostAtFirst, mostPerStep));
  /** Tokens of the reply that were not evaluated yet. */
  let pending: Token[] = [];
  let begun = false;

  return {
    opening,
    propose(room) {
      guess = speculation?.guess(pending.length, Math.min(room, mostPerStep - pending.length)) ?? [];
      const tokens = [...pending, ...guess];
      return { tokens, logitsAt: tokens.map((_, index) => index).slice(pending.length - 1) };
    },
    async draw(places) {
      const tokens: Drawn[] = begun ? [] : opening.map((token) => ({ token }));
      begun = true;
      let right = 0;
      let ended = isComplete();
      for (const place of places) {
        if (ended) break;
        const drawn = await drawer.draw(place);
        if (drawn) {
          tokens.push(drawn);
          guide?.take(drawn.token);
        }
        ended = !drawn || isComplete();
        if (!drawn || drawn.token !== guess[right]) break;
        right += 1;
      }
      const kept = pending.length + right;
      speculation?.note(right);
      guess = [];
      const last = tokens.at(-1);
      const forced = ended ? [] : force(mostPerStep - 1);
      pending = last ? [last.token, ...forced] : [];
      return { tokens: [...tokens, ...forced.map((token) => ({ token }))], kept, ended: ended || isComplete() };
    },
    close: () => drawer.close(),
  };
}
