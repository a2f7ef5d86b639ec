import type { Guesses } from '../../../contract/events.ts';
import type { Place } from '../llama/addon-context.ts';
import type { Token } from '../llama/llama.ts';
import type { PassTimes } from '../step/pass-times.ts';
import type { Guide } from './guide.ts';
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
  /** The guesses so far. */
  readonly guesses: Guesses;
  /** Says what to evaluate in the next step. The reply may have `room` tokens after the next one that is drawn. */
  propose(room: number): Promise<Proposal>;
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
  times: PassTimes;
  /** The most tokens of the reply in one forward pass. */
  mostPerStep: number;
  /** The most tokens with which the reply may begin before one is drawn. */
  mostAtFirst: number;
}

/** Tokens that are forced at a time. On a busy machine so many take 10 to 40 ms, in which no other reply goes on. */
const MOST_FORCED = 64;

/**
 * Draws the tokens of a reply. A guess is a matter of speed alone: each of its tokens is drawn from its own logits, after the same
 * tokens and with the same random number as without it, and the first one that is drawn differently ends it.
 */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { drawer, guide, speculation, times, mostPerStep } = options;
  let guess: Token[] = [];

  /**
   * Takes the tokens that have to come, as many as there is room for. The only way through a grammar may have no end, so not all are
   * taken at once: they are found after the next draw, also by an engine that takes the reply up.
   */
  const force = (left: number): Token[] => {
    const most = Math.min(left, MOST_FORCED);
    const forced: Token[] = [];
    let next = options.forces ? guide?.forced() : undefined;
    for (let token = next?.[0]; token !== undefined && forced.length < most; token = next?.[0]) {
      if (!drawer.force(token)) {
        guide?.giveUp();
        break;
      }
      guide?.take(token);
      forced.push(token);
      next = next?.slice(1);
      if (next?.length === 0) next = guide?.forced();
    }
    return forced;
  };
  const isComplete = () => guide?.complete ?? false;

  /** The tokens that the reply may have after the next one that is drawn. */
  let room = options.mostAtFirst;
  const opening = force(room);
  /** Tokens of the reply that were not evaluated yet, and how many of them are in the next pass. */
  let pending: Token[] = [];
  let evaluating = 0;
  const guesses = { made: 0, right: 0 };
  let begun = false;

  /** Draws from each place, and takes what has to follow, up to the first token that is not the one that was guessed. */
  const drawInto = async (tokens: Drawn[], places: Place[]) => {
    let right = 0;
    for (let place = places[0]; place !== undefined && !isComplete(); place = places[right]) {
      const drawn = await drawer.draw(place);
      if (!drawn) return { right, left: [], turnEnded: true };
      guide?.take(drawn.token);
      tokens.push(drawn);
      const forced = force(room + 1 - tokens.length);
      tokens.push(...forced.map((token) => ({ token })));
      const gained = [drawn.token, ...forced];
      const wrong = gained.findIndex((token, index) => token !== guess[right + index]);
      if (wrong !== -1) return { right: right + wrong, left: gained.slice(wrong), turnEnded: false };
      right += gained.length;
    }
    return { right, left: [], turnEnded: false };
  };

  return {
    opening,
    guesses,
    async propose(left) {
      room = left;
      evaluating = goTogether(pending.length, times) ? Math.min(pending.length, mostPerStep) : 1;
      const most = evaluating < pending.length ? 0 : Math.min(room, mostPerStep - evaluating);
      guess = (await speculation?.guess(evaluating, most)) ?? [];
      const tokens = [...pending.slice(0, evaluating), ...guess];
      return { tokens, logitsAt: tokens.map((_, index) => index).slice(evaluating - 1) };
    },
    async draw(places) {
      if (evaluating < pending.length) {
        pending = pending.slice(evaluating);
        return { tokens: [], kept: evaluating, ended: false };
      }
      const tokens: Drawn[] = begun ? [] : opening.map((token) => ({ token }));
      begun = true;
      const { right, left, turnEnded } = await drawInto(tokens, places);
      speculation?.note(right);
      guesses.made += guess.length;
      guesses.right += right;
      guess = [];
      const kept = pending.length + right;
      pending = left;
      return { tokens, kept, ended: turnEnded || isComplete() };
    },
    close: () => drawer.close(),
  };
}

/**
 * True if it is quicker for all to evaluate the pending tokens of a reply together. llama.cpp then cuts the pass of several replies in
 * two, of which the others gain nothing; one after the other they take a small share of each pass.
 */
function goTogether(pending: number, { latest: { replies }, lines, rows }: PassTimes): boolean {
  if (pending <= 1 || replies <= 1) return true;
  return lines.of(pending - 1) < ((pending - 1) * rows.of(replies)) / replies;
}
