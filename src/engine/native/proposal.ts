import type { Proposal } from './draw/token-source.ts';
import type { Part } from './llama/decoder.ts';
import { FILLER } from './llama/pass-order.ts';
import type { Sequence } from './llama/sequence.ts';
import type { Demand } from './step/step-plan.ts';

/** Returns the tokens that a reply needs in the next step, and those that it could have besides. */
export function demandOf(proposal: Proposal | undefined, sequence: number): Pick<Demand, 'reply' | 'offer'> {
  const { tokens = [], guess } = proposal ?? {};
  if (!guess) return { reply: tokens.length };
  const { from, share, most } = guess;
  return { reply: from, offer: { sequence, tokens: tokens.length - from, share, most } };
}

/**
 * Returns a proposal with `added` tokens of its guess. If the guess has not so many, any tokens follow, which are dropped
 * after the pass: the reply is as wide as others, so that llama.cpp computes them at once.
 *
 * @param room the most tokens of the proposal
 */
export function withGuess({ tokens, logitsAt, guess, ...others }: Proposal, added: number, room: number): Proposal {
  if (!guess) return { tokens, logitsAt, ...others };
  const taken = tokens.slice(0, guess.from + added);
  const filled = Math.max(taken.length, Math.min(guess.from + Math.min(added, guess.most), room));
  const fillers = Array.from({ length: filled - taken.length }, () => FILLER);
  return { tokens: [...taken, ...fillers], logitsAt: logitsAt.filter((index) => index < taken.length), ...others };
}

/**
 * Returns the part of a forward pass that evaluates a proposal after what the sequence holds. An image is placed from its
 * first token on, whichever is evaluated.
 *
 * @param highest the number of highest logits that are read at each place
 */
export function toPart(
  { guess: _, ...next }: Proposal,
  sequence: Pick<Sequence, 'id' | 'length' | 'positionAfter'>,
  highest: number,
): Part {
  const at = sequence.length;
  const position = next.rows ? sequence.positionAfter(at - next.rows.offset) : sequence.positionAfter(at);
  return { ...next, highest, sequence: sequence.id, at, ...((next.rows || position !== at) && { position }) };
}
