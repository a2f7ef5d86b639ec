import type { Guesses } from '../../../contract/events.ts';
import type { MediaRows } from '../llama/media/rows.ts';
import type { LogitsPlace, Token } from '../llama/tokens/token.ts';
import type { PassTimes } from '../step/pass-times.ts';
import type { Guide } from './guide.ts';
import type { Speculation } from './speculation.ts';
import type { Drawn, TokenDrawer } from './token-drawer.ts';

/** The tokens that a generation needs evaluated in the next forward pass. */
export interface Proposal {
  /** Tokens of the prompt, or tokens of the reply that have not been evaluated, followed by a guess. */
  tokens: Token[];
  /**
   * The guess: the tokens from this index on, of which any number may be evaluated, the probability that one of them is
   * right if all before it are, and the most tokens that may follow the reply's own. Undefined if none may.
   */
  guess?: { from: number; share: number; most: number } | undefined;
  /** The indices in `tokens` after which logits are wanted, ascending. */
  logitsAt: number[];
  /** The embeddings to evaluate in place of the tokens, if they are those of an image or a recording. */
  rows?: MediaRows;
}

/** The new tokens of a reply after one step. */
export interface Gain {
  /** The new tokens, in order. */
  tokens: Drawn[];
  /**
   * The number of tokens of the proposal that belong to the reply. All tokens after them are wrong guesses and have to
   * be dropped.
   */
  kept: number;
  /** True if the reply ends after the new tokens. */
  ended: boolean;
}

/** The source of the tokens of one reply: draws, guesses and forced tokens. */
export interface TokenSource {
  /** The number of highest logits that each draw looks at; 0 if it reads all logits. */
  readonly highest: number;
  /**
   * The tokens with which the reply has to begin. They are evaluated with the prompt, and are part of the first gain.
   */
  readonly opening: Token[];
  /** The number of guessed and right tokens so far. */
  readonly guesses: Guesses;
  /** Returns the tokens to evaluate in the next step, and guessed ones. The reply may have `room` tokens after the next drawn one. */
  propose(room: number): Promise<Proposal>;
  /**
   * Draws from the logits of the latest proposal, of whose guess the beginning was evaluated; the first time, from those
   * after the prompt and the opening. Throws if no token can follow.
   */
  draw(places: LogitsPlace[]): Promise<Gain>;
  close(): void;
}

/** The parts from which a token source is made. */
export interface TokenSourceOptions {
  drawer: TokenDrawer;
  /** Follows the reply in its grammar. */
  guide?: Guide | undefined;
  /** True if tokens that the grammar forces are not drawn. */
  forces: boolean;
  /** Guesses tokens, so that several tokens can be drawn after one forward pass. */
  speculation?: Speculation | undefined;
  /** The most tokens of a guess; by default there is no limit. */
  mostGuessed?: number;
  times: PassTimes;
  /** The most tokens of the reply in one forward pass. */
  mostPerStep: number;
  /** The most tokens with which the reply may begin before one is drawn. */
  mostAtFirst: number;
}

/**
 * The most tokens that are forced at a time. On a busy machine this takes 10 to 40 ms, while all other replies wait.
 */
const MOST_FORCED = 64;

/**
 * Makes the source of a reply's tokens. Guesses change only the speed: each token is drawn from its own logits, after
 * the same tokens and with the same random number as without a guess. The first drawn token that differs from the guess
 * ends the guess.
 */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { drawer, guide, speculation, times, mostPerStep, mostGuessed = Number.POSITIVE_INFINITY } = options;
  let guess: Token[] = [];

  /**
   * Adds the tokens that the grammar forces, up to `left` of them, and returns them. A grammar may force tokens without
   * end, so there is a limit: the rest is forced after the next draw, also by an engine that continues the reply.
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

  /** The number of tokens that the reply may have after the next drawn one. */
  let room = options.mostAtFirst;
  const opening = force(room);
  /** The tokens of the reply that were not evaluated yet. */
  let pending: Token[] = [];
  /** The number of pending tokens in the next pass. */
  let evaluating = 0;
  const guesses = { made: 0, right: 0 };
  let begun = false;

  /** Draws at each place and adds the tokens that are forced after it, until a token differs from the guess. */
  const drawInto = async (tokens: Drawn[], places: LogitsPlace[]) => {
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
    highest: drawer.highest,
    opening,
    guesses,
    async propose(left) {
      room = left;
      evaluating = goTogether(pending.length, times) ? Math.min(pending.length, mostPerStep) : 1;
      const most = evaluating < pending.length ? 0 : Math.min(room, mostGuessed, mostPerStep - evaluating);
      const guessed = await speculation?.guess(evaluating, most);
      guess = guessed?.tokens ?? [];
      const tokens = [...pending.slice(0, evaluating), ...guess];
      const logitsAt = tokens.map((_, index) => index).slice(evaluating - 1);
      return {
        tokens,
        logitsAt,
        ...(guessed && { guess: { from: evaluating, share: guessed.share, most: mostGuessed } }),
      };
    },
    async draw(places) {
      if (evaluating < pending.length) {
        pending = pending.slice(evaluating);
        return { tokens: [], kept: evaluating, ended: false };
      }
      guess = guess.slice(0, Math.max(0, places.length - 1));
      const tokens: Drawn[] = begun ? [] : opening.map((token) => ({ token }));
      begun = true;
      const { right, left, turnEnded } = await drawInto(tokens, places);
      speculation?.note(guess.length, right);
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
 * True if all replies together are faster when the pending tokens of this reply are evaluated in one pass. Without a cache
 * that all sequences share, llama.cpp then cuts the pass into two micro-batches, and the other replies wait for the second
 * one. Evaluated one per pass, the tokens take a small share of each.
 */
function goTogether(pending: number, { latest: { replies }, lines, rows, together }: PassTimes): boolean {
  if (together || pending <= 1 || replies <= 1) return true;
  return lines.of(pending - 1) < ((pending - 1) * rows.of(replies)) / replies;
}
