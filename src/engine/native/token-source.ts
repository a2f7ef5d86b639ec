import type { Place } from './decoder.ts';
import type { Token } from './llama.ts';
import type { Drawn, TokenDrawer } from './token-drawer.ts';

/** What a reply wants evaluated next. */
export interface Proposal {
  /** The token that was drawn last, and any that are expected or bound to follow it. */
  tokens: Token[];
  /** The indices of those of `tokens` after which logits are wanted, ascending. */
  logitsAt: number[];
}

/** What a reply gains by one step. */
export interface Gain {
  /**
   * The new tokens, in order. All but the last have been evaluated: they are the proposal's own, after its first. If the reply
   * ends, the last one has been evaluated too.
   */
  tokens: Drawn[];
  /** True if the model ends its turn after them. */
  ended: boolean;
}

/** Where the tokens of one reply come from. */
export interface TokenSource {
  /** Says what to evaluate in the next step: at least `last`, which was drawn last, and at most `room` tokens. */
  propose(last: Token, room: number): Proposal;
  /** Draws from the logits that were asked for; after the prompt, from those of its last token. */
  draw(places: Place[]): Promise<Gain>;
  close(): void;
}

/** Evaluates one token and draws the next. */
export function createPlainSource(drawer: TokenDrawer): TokenSource {
  return {
    propose: (last) => ({ tokens: [last], logitsAt: [0] }),
    async draw([place]) {
      if (place === undefined) throw new Error('there are no logits to draw from');
      const drawn = await drawer.draw(place);
      return drawn ? { tokens: [drawn], ended: false } : { tokens: [], ended: true };
    },
    close: () => drawer.close(),
  };
}
