import { describe, expect, it } from 'vitest';
import { planGuesses } from '../../../../src/engine/native/step/guess-plan.ts';

/** A micro-batch reads all weights, and each token adds a fifth of that. */
const LIMITS = {
  room: 128,
  readsPrompt: false,
  onlyAlone: false,
  ragged: false,
  timeOf: ({ sequences, width }: { sequences: number; width: number }) => 10 + 2 * sequences * width,
};
const reply = (sequence: number, tokens: number, share: number, needs = 1) => ({
  reply: needs,
  offer: { sequence, tokens, share, most: 15 },
});
const prompt = { reply: 0 };

describe('the guesses of a step', () => {
  it('are evaluated for all replies whose guesses are mostly right', () => {
    const plan = planGuesses([reply(0, 15, 0.95), prompt, reply(1, 15, 0.95)], LIMITS);
    expect(plan?.added[0]).toBeGreaterThan(2);
    expect(plan?.added).toEqual([plan?.added[0], 0, plan?.added[0]]);
    expect(plan?.ms).toBe(10 + 2 * 2 * (1 + (plan?.added[0] ?? 0)));
  });

  it('are none where they are mostly wrong, where nothing is guessed, and where a reply can not drop tokens', () => {
    expect(planGuesses([reply(0, 15, 0.1), reply(1, 15, 0.1)], LIMITS)).toBeNull();
    expect(planGuesses([reply(0, 0, 0.9), reply(1, 0, 0.9)], LIMITS)).toBeNull();
    expect(planGuesses([reply(0, 15, 0.95), { reply: 1 }], LIMITS)).toBeNull();
  });

  it('fill up a reply without a guess, if those of the others are worth that', () => {
    const others = [1, 2, 3].map((sequence) => reply(sequence, 3, 0.95));
    expect(planGuesses([reply(0, 0, 0.6), ...others], LIMITS)?.added).toEqual([3, 3, 3, 3]);
    const idle = [1, 2, 3].map((sequence) => reply(sequence, 0, 0.6));
    expect(planGuesses([reply(0, 3, 0.95), ...idle], LIMITS)).toBeNull();
  });

  it('are as wide as the tokens that a reply needs anyway', () => {
    const plan = planGuesses([reply(0, 0, 0.6, 4), reply(1, 3, 0.9)], LIMITS);
    expect(plan?.added).toEqual([0, 3]);
  });

  it('count each run of neighbours: a gap makes them dear, where one token each would fill it', () => {
    expect(planGuesses([reply(0, 15, 0.7), reply(1, 15, 0.7)], LIMITS)).not.toBeNull();
    expect(planGuesses([reply(0, 15, 0.7), reply(2, 15, 0.7)], LIMITS)).toBeNull();
  });

  it('are no more than every reply can drop', () => {
    const [one, other] = [reply(0, 15, 0.95), reply(1, 2, 0.95)];
    expect(planGuesses([one, { ...other, offer: { ...other.offer, most: 2 } }], LIMITS)?.added).toEqual([2, 2]);
  });

  it('are none for several replies while a prompt is read, whose reply is worth more', () => {
    const limits = { ...LIMITS, readsPrompt: true };
    expect(planGuesses([reply(0, 15, 0.95), reply(1, 15, 0.95)], limits)).toBeNull();
    expect(planGuesses([reply(0, 15, 0.95)], limits)).not.toBeNull();
  });

  it('are none for several replies where only one may have them', () => {
    const limits = { ...LIMITS, onlyAlone: true };
    expect(planGuesses([reply(0, 15, 0.95), reply(1, 15, 0.95)], limits)).toBeNull();
    expect(planGuesses([reply(0, 15, 0.95)], limits)).not.toBeNull();
  });

  it('leave room for the prompts', () => {
    const replies = [reply(0, 15, 0.9), reply(1, 15, 0.9)];
    expect(planGuesses(replies, { ...LIMITS, room: 6 })?.added).toEqual([2, 2]);
  });
});

describe('the guesses of a step whose tokens are all computed at once', () => {
  const together = { ...LIMITS, ragged: true };

  it('are as many for each reply as it has', () => {
    const plan = planGuesses([reply(0, 6, 0.95), prompt, reply(5, 2, 0.95)], together);
    expect(plan?.added).toEqual([6, 0, 2]);
    expect(plan?.ms).toBe(10 + 2 * 10);
  });

  it('have one limit, which leaves room for what must be computed', () => {
    const plan = planGuesses([reply(0, 15, 0.99), reply(1, 15, 0.99)], { ...together, room: 12 });
    expect(plan?.added).toEqual([5, 5]);
  });

  it('leave a reply without any as it is, and need no other reply to have some', () => {
    const without = { reply: 1 };
    expect(planGuesses([without, reply(1, 8, 0.95)], together)?.added).toEqual([0, 8]);
    expect(planGuesses([without, without], together)).toBeNull();
  });

  it('are left out where the longer pass costs more than they bring', () => {
    expect(planGuesses([reply(0, 8, 0.1), reply(1, 8, 0.1)], together)).toBeNull();
  });

  it('beside a prompt are only for a reply that is alone', () => {
    expect(planGuesses([reply(0, 8, 0.95), reply(1, 8, 0.95)], { ...together, readsPrompt: true })).toBeNull();
    expect(planGuesses([reply(0, 8, 0.95)], { ...together, readsPrompt: true })?.added).toEqual([8]);
  });
});
