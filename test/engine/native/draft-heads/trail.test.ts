import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTrail, type Trail } from '../../../../src/engine/native/draft-heads/trail.ts';
import { repeats } from '../../../support/repeats.ts';

const WIDTH = 2;
/** The row of the token at a position, which begins with the position. */
const rowAt = (position: number) => Float32Array.of(position + 1, -1);
const rowsFrom = (at: number, count: number) => Array.from({ length: count }, (_, index) => rowAt(at + index));
/** Returns the pairs that a trail lacks: the position of each token, the token, and the position of the row before it; -1 for no row. */
const lacking = (trail: Trail, ahead?: number) => {
  const { at, tokens, hidden } = trail.pairs(1000, ahead);
  return tokens.map((token, index) => [at + index, token, (hidden[index * WIDTH] ?? 0) - 1]);
};
const pass = (trail: Trail, at: number, tokens: number[]) => trail.pass(at, tokens, rowsFrom(at, tokens.length));

describe('the trail of an MTP cache', () => {
  it('pairs each token with the row of the token before it', () => {
    const trail = createTrail(WIDTH);
    expect(pass(trail, 0, [10, 11])).toBeUndefined();
    expect(pass(trail, 2, [12])).toBeUndefined();
    expect(lacking(trail)).toEqual([
      [0, 10, -1],
      [1, 11, 0],
      [2, 12, 1],
    ]);
    expect(trail.evaluated(2)).toBe(2);
    expect(lacking(trail, 13)).toEqual([
      [2, 12, 1],
      [3, 13, 2],
    ]);
  });

  it('gets ahead by the drawn token, and is level again when the model has evaluated it', () => {
    const trail = createTrail(WIDTH);
    pass(trail, 0, [10, 11]);
    expect(trail.evaluated(3, 12)).toBe(3);
    expect(trail.canGoAhead).toBe(false);
    expect(pass(trail, 2, [12, 13, 14])).toBeUndefined();
    expect(trail.canGoAhead).toBe(true);
    expect(lacking(trail)).toEqual([
      [3, 13, 2],
      [4, 14, 3],
    ]);
  });

  it('drops the token ahead if the model evaluates another one in its place', () => {
    const trail = createTrail(WIDTH);
    pass(trail, 0, [10, 11]);
    trail.evaluated(3, 12);
    expect(pass(trail, 2, [99])).toBe(2);
    expect(lacking(trail)).toEqual([[2, 99, -1]]);
  });

  it('drops wrong guesses that the cache does not hold yet without a change of the cache', () => {
    const trail = createTrail(WIDTH);
    pass(trail, 0, [10, 11]);
    trail.evaluated(3, 12);
    pass(trail, 2, [12, 13, 14, 15]);
    expect(trail.cut(4)).toBeUndefined();
    expect(lacking(trail, 20)).toEqual([
      [3, 13, 2],
      [4, 20, 3],
    ]);
  });

  it('goes back to the beginning of another text, and does not know the row there', () => {
    const trail = createTrail(WIDTH);
    pass(trail, 0, [10, 11, 12]);
    trail.evaluated(3);
    expect(trail.cut(1)).toBe(1);
    pass(trail, 1, [21, 22]);
    expect(lacking(trail)).toEqual([
      [1, 21, -1],
      [2, 22, 1],
    ]);
  });

  it('begins anew after a gap', () => {
    const trail = createTrail(WIDTH);
    pass(trail, 0, [10, 11]);
    trail.evaluated(2);
    expect(pass(trail, 7, [17, 18])).toBe(0);
    expect(lacking(trail)).toEqual([
      [7, 17, -1],
      [8, 18, 7],
    ]);
  });

  it('takes over what another one has noted', () => {
    const [one, other] = [createTrail(WIDTH), createTrail(WIDTH)];
    pass(one, 0, [10, 11, 12]);
    one.evaluated(2);
    expect(other.copy(one, 3)).toBe(2);
    expect(other.copy(one, 1)).toBe(1);
    pass(other, 1, [31]);
    expect(lacking(other)).toEqual([[1, 31, -1]]);
    expect(lacking(one)).toEqual([[2, 12, 1]]);
  });

  it('leaves the first token of a text out, where no row is known before it', () => {
    const trail = createTrail(WIDTH, 1);
    expect(pass(trail, 0, [10])).toBeUndefined();
    expect([trail.lag, trail.canGoAhead]).toEqual([0, true]);
    expect(lacking(trail, 11)).toEqual([[1, 11, 0]]);
    expect(pass(trail, 1, [11, 12])).toBeUndefined();
    expect(lacking(trail)).toEqual([
      [1, 11, 0],
      [2, 12, 1],
    ]);
    expect(trail.evaluated(2)).toBe(3);
    expect(trail.cut(0)).toBe(0);
    pass(trail, 0, [20, 21]);
    expect(lacking(trail)).toEqual([[1, 21, 0]]);
  });

  it.each([0, 1] as const)(
    'never pairs a token with a row that is not that of the token before it, from %i on',
    (first) => {
      const kind = fc.constantFrom('pass', 'cut', 'catch up', 'go ahead');
      const steps = fc.array(fc.record({ kind, count: fc.integer({ min: 1, max: 6 }) }), { maxLength: 40 });
      fc.assert(
        fc.property(steps, (taken) => {
          const model = createSimulation(first);
          for (const { kind, count } of taken) {
            if (kind === 'pass') model.pass(count);
            else if (kind === 'cut') model.cut(count);
            else if (kind === 'catch up') model.evaluate(count, false);
            else model.evaluate(6, true);
            model.check();
          }
        }),
        { numRuns: repeats(200, 2000) },
      );
    },
  );
});

/** A sequence, its MTP cache and the trail between them. No two tokens are the same, and a row begins with its token. */
function createSimulation(first: 0 | 1) {
  const trail = createTrail(WIDTH, first);
  let text: number[] = [];
  /** Holds a first token that is left out, too. */
  let cache: number[] = [];
  let drawn: number | undefined;
  let next = 100;
  const drop = (from = cache.length) => {
    cache = cache.slice(0, from);
  };
  return {
    pass(count: number) {
      const tokens = Array.from({ length: count }, (_, index) => (index === 0 ? drawn : undefined) ?? next++);
      const rows = tokens.map((token) => Float32Array.of(token, 0));
      drop(trail.pass(text.length, tokens, rows));
      text.push(...tokens);
      if (cache.length < first) cache = text.slice(0, first);
      drawn = undefined;
    },
    cut(count: number) {
      text = text.slice(0, Math.max(0, text.length - count));
      drop(trail.cut(text.length));
      drawn = undefined;
    },
    /** Evaluates what the cache lacks, and the drawn token if it gets ahead. */
    evaluate(most: number, getsAhead: boolean) {
      if (!trail.canGoAhead || (getsAhead && trail.lag > most)) return;
      if (getsAhead) drawn = next++;
      const ahead = getsAhead ? drawn : undefined;
      const { at, tokens, hidden } = trail.pairs(most, ahead);
      expect(at).toBe(cache.length);
      const known = [...text, ahead];
      expect(tokens).toEqual(known.slice(at, at + tokens.length));
      for (const index of tokens.keys()) expect([0, known[at + index - 1]]).toContain(hidden[index * WIDTH]);
      cache.push(...tokens);
      if (tokens.length > 0) expect(trail.evaluated(tokens.length, ahead)).toBe(cache.length);
    },
    check() {
      expect(cache.slice(0, text.length)).toEqual(text.slice(0, cache.length));
      expect(trail.lag + cache.length).toBe(Math.max(text.length, cache.length));
    },
  };
}
