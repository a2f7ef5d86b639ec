import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candidates } from '../../src/sampling/candidates.ts';
import { minP, topK, topP, typicalP } from '../../src/sampling/truncation.ts';
import { sum } from '../../src/utils/sum.ts';
import { softmaxOf, someLogits, someShare, tokensOf, withLogits, withProbabilities } from './fixtures.ts';

/** Error that sums in 32 bits may have. */
const TOLERANCE = 1e-5;

type Truncation = (candidates: Candidates, parameter: number) => void;

function kept(candidates: Candidates, truncate: Truncation, parameter: number): number[] {
  truncate(candidates, parameter);
  return tokensOf(candidates);
}

function byLogit(logits: number[]): number[] {
  return [...logits.keys()].sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0));
}

describe('topK', () => {
  it('keeps the highest logits, highest first', () => {
    expect(kept(withLogits([1, 3, 2, 0]), topK, 2)).toEqual([1, 2]);
    expect(kept(withLogits([3, 2, 1]), topK, 1)).toEqual([0]);
  });

  it('keeps all for 0', () => {
    expect(kept(withLogits([1, 3, 2]), topK, 0)).toEqual([0, 1, 2]);
  });

  it('keeps the first k of the sorted logits', () => {
    fc.assert(
      fc.property(someLogits, fc.integer({ min: 1, max: 80 }), (logits, k) => {
        expect(kept(withLogits(logits), topK, k)).toEqual(byLogit(logits).slice(0, k));
      }),
    );
  });
});

describe('topP', () => {
  it('keeps the fewest tokens whose probabilities sum to p', () => {
    const shares = [0.125, 0.5, 0.125, 0.25];
    expect(kept(withProbabilities(shares), topP, 0)).toEqual([1]);
    expect(kept(withProbabilities(shares), topP, 0.4)).toEqual([1]);
    expect(kept(withProbabilities(shares), topP, 0.6)).toEqual([1, 3]);
    expect(kept(withProbabilities(shares), topP, 0.8)).toEqual([1, 3, 0]);
    expect(kept(withProbabilities(shares), topP, 0.9)).toEqual([1, 3, 0, 2]);
  });

  it('keeps all, as they are, for 1', () => {
    expect(kept(withLogits([1, 3, 2]), topP, 1)).toEqual([0, 1, 2]);
  });

  it('keeps a set that reaches p, but would not without its last token', () => {
    fc.assert(
      fc.property(someLogits, someShare, (logits, share) => {
        const tokens = kept(withLogits(logits), topP, share);
        const shares = tokens.map((token) => softmaxOf(logits)[token] ?? 0);
        expect(tokens).toEqual(byLogit(logits).slice(0, tokens.length));
        expect(sum(shares)).toBeGreaterThan(share - TOLERANCE);
        expect(sum(shares.slice(0, -1))).toBeLessThan(share + TOLERANCE);
      }),
    );
  });
});

describe('minP', () => {
  it('keeps the tokens with at least p times the highest probability', () => {
    const shares = [0.1, 0.5, 0.15, 0.25];
    expect(kept(withProbabilities(shares), minP, 0.19)).toEqual([0, 1, 2, 3]);
    expect(kept(withProbabilities(shares), minP, 0.21)).toEqual([1, 2, 3]);
    expect(kept(withProbabilities(shares), minP, 0.31)).toEqual([1, 3]);
    expect(kept(withProbabilities(shares), minP, 1)).toEqual([1]);
  });

  it('keeps all for 0 and one token for more than 1', () => {
    expect(kept(withLogits([1, 3, 2]), minP, 0)).toEqual([0, 1, 2]);
    expect(kept(withLogits([1, 3, 2]), minP, 2)).toEqual([1]);
  });

  it('keeps exactly the tokens that reach the limit', () => {
    fc.assert(
      fc.property(someLogits, someShare, (logits, share) => {
        const bar = Math.max(...logits) + Math.log(share);
        const clear = logits.every((logit) => Math.abs(logit - bar) > TOLERANCE);
        fc.pre(clear);
        const expected = [...logits.keys()].filter((token) => (logits[token] ?? 0) > bar);
        expect(kept(withLogits(logits), minP, share)).toEqual(expected);
      }),
    );
  });
});

describe('typicalP', () => {
  // The surprises are 1, 2, 3 and 3 bits and the entropy is 1.75. Token 1 is 0.25 away, token 0 is 0.75, the others
  // 1.25.
  const shares = [0.5, 0.25, 0.125, 0.125];

  it('keeps the tokens whose surprise is nearest to the entropy, nearest first', () => {
    expect(kept(withProbabilities(shares), typicalP, 0.2)).toEqual([1]);
    expect(kept(withProbabilities(shares), typicalP, 0.3)).toEqual([1, 0]);
    expect(kept(withProbabilities(shares), typicalP, 0.74)).toEqual([1, 0]);
    expect(kept(withProbabilities(shares), typicalP, 0.8)).toEqual([1, 0, 2]);
    expect(kept(withProbabilities(shares), typicalP, 0.9)).toEqual([1, 0, 2, 3]);
  });

  it('keeps all, as they are, for 1', () => {
    expect(kept(withLogits([1, 3, 2]), typicalP, 1)).toEqual([0, 1, 2]);
  });

  it('is not disturbed by tokens of probability 0', () => {
    expect(kept(withLogits([0, -Infinity, Math.log(0.5), Math.log(0.5)]), typicalP, 0.7)).toEqual([0, 2]);
  });

  it('keeps a set that exceeds p, would not without its last token, and has only more typical tokens than the rest', () => {
    fc.assert(
      fc.property(someLogits, someShare, (logits, share) => {
        const tokens = kept(withLogits(logits), typicalP, share);
        const shares = softmaxOf(logits);
        const entropy = sum(shares.map((p) => -p * Math.log(p)));
        const distance = (token: number) => Math.abs(-Math.log(shares[token] ?? 0) - entropy);
        const left = [...logits.keys()].filter((token) => !tokens.includes(token));
        expect(new Set(tokens).size).toBe(tokens.length);
        expect(sum(tokens.map((token) => shares[token] ?? 0))).toBeGreaterThan(share - TOLERANCE);
        expect(sum(tokens.slice(0, -1).map((token) => shares[token] ?? 0))).toBeLessThan(share + TOLERANCE);
        if (left.length === 0) return;
        expect(Math.max(...tokens.map(distance))).toBeLessThan(Math.min(...left.map(distance)) + TOLERANCE);
      }),
    );
  });
});
