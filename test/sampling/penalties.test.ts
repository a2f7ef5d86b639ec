import { describe, expect, it } from 'vitest';
import { addBiases, penalize, penaltyWindow, toBiases } from '../../src/sampling/penalties.ts';
import { logitsOf, withLogits } from './fixtures.ts';

const none = { repeatPenalty: 1, repeatLastN: 64, presencePenalty: 0, frequencyPenalty: 0 };

function penalized(logits: number[], penalties: Partial<typeof none>, recentTokens: number[]): number[] {
  const candidates = withLogits(logits);
  penalize(candidates, { ...none, ...penalties }, recentTokens);
  return logitsOf(candidates);
}

describe('addBiases', () => {
  it('adds each bias to its token, wherever that stands, and to no other', () => {
    const candidates = withLogits([5, 4, 3]);
    addBiases(
      candidates,
      toBiases([
        [2, 1.5],
        [0, -Infinity],
        [99, 7],
      ]),
    );
    expect(logitsOf(candidates)).toEqual([-Infinity, 4, 4.5]);
    expect(candidates.sorted).toBe(false);
  });

  it('adds both biases to a token that has two', () => {
    const candidates = withLogits([1]);
    addBiases(
      candidates,
      toBiases([
        [0, 2],
        [0, 3],
      ]),
    );
    expect(logitsOf(candidates)).toEqual([6]);
  });

  it('keeps candidates marked as sorted if it changes none', () => {
    const candidates = withLogits([2, 1]);
    addBiases(candidates, toBiases([[9, 1]]));
    expect(candidates.sorted).toBe(true);
  });
});

describe('penalize', () => {
  it('divides positive logits by the repeat penalty and multiplies the others', () => {
    expect(penalized([4, 0, -4, 4], { repeatPenalty: 2 }, [0, 1, 2])).toEqual([2, 0, -8, 4]);
  });

  it('penalizes presence once and frequency by the count, after the repeat penalty', () => {
    expect(penalized([4, 4, 4], { presencePenalty: 0.5, frequencyPenalty: 0.25 }, [1, 0, 1, 1])).toEqual([
      4 - 0.75,
      4 - 1.25,
      4,
    ]);
    expect(penalized([4], { repeatPenalty: 2, presencePenalty: 1 }, [0])).toEqual([1]);
  });

  it('rewards repetition if a penalty is negative', () => {
    expect(penalized([1, 1], { presencePenalty: -2 }, [1])).toEqual([1, 3]);
  });

  it('penalizes only the tokens of the window', () => {
    const recent = [0, 1, 2];
    expect(penalized([8, 8, 8], { repeatPenalty: 2, repeatLastN: 1 }, recent)).toEqual([8, 8, 4]);
    expect(penalized([8, 8, 8], { repeatPenalty: 2, repeatLastN: 2 }, recent)).toEqual([8, 4, 4]);
    expect(penalized([8, 8, 8], { repeatPenalty: 2, repeatLastN: 100 }, recent)).toEqual([4, 4, 4]);
  });

  it('penalizes nothing with a window of 0 and all tokens with a window of -1', () => {
    const recent = [0, ...new Array(100).fill(1)];
    expect(penalized([8, 8], { repeatPenalty: 2, repeatLastN: 0 }, recent)).toEqual([8, 8]);
    expect(penalized([8, 8], { repeatPenalty: 2, repeatLastN: -1 }, recent)).toEqual([4, 4]);
  });
});

describe('the tokens that penalties look back on', () => {
  it('are as many as the request asks for, but no more than the context holds', () => {
    expect(penaltyWindow({ ...none, repeatPenalty: 1.1 }, 512)).toBe(64);
    expect(penaltyWindow({ ...none, repeatPenalty: 1.1, repeatLastN: -1 }, 512)).toBe(512);
    expect(penaltyWindow(none, 512)).toBe(0);
    // llama.cpp computed for ever with this one, in the thread that steps all slots.
    expect(penaltyWindow({ ...none, presencePenalty: 1, repeatLastN: Number.MAX_SAFE_INTEGER }, 512)).toBe(512);
  });
});
