import { describe, expect, it } from 'vitest';
import { createDraftLength, createPassTimes } from '../../../src/engine/native/draft-length.ts';

/** Times as they were measured on two cores: more tokens in a pass cost little, up to a point. */
const onTwoCores = (tokens: number) => (tokens <= 16 ? 27 * tokens ** 0.3 : 62 + (tokens - 16) * 1.8);

const measured = (ms: (tokens: number) => number) => {
  const times = createPassTimes();
  for (const tokens of [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 64, 128]) times.note(tokens, ms(tokens));
  return times;
};

describe('the times of passes', () => {
  it('are guessed until they are measured', () => {
    const times = createPassTimes();
    expect(times.ratio(1, 4)).toBeCloseTo(1.5, 1);
    expect(times.ratio(1, 16)).toBeCloseTo(2.3, 1);
    times.note(1, 20);
    expect(times.ratio(1, 4)).toBeCloseTo(1.5, 1);
  });

  it('are those that were measured, and between two of them in between', () => {
    const times = measured((tokens) => 10 + tokens);
    expect(times.ratio(1, 8)).toBeCloseTo(18 / 11);
    const ratio = times.ratio(1, 5);
    expect(ratio).toBeGreaterThan(times.ratio(1, 4));
    expect(ratio).toBeLessThan(times.ratio(1, 6));
  });

  it('follow a machine that becomes slower, but not one slow pass', () => {
    const times = measured(onTwoCores);
    const before = times.ratio(1, 8);
    times.note(8, 5000);
    expect(times.ratio(1, 8)).toBeLessThan(before * 1.11);
    for (let count = 0; count < 50; count++) times.note(8, 500);
    expect(times.ratio(1, 8)).toBeCloseTo(500 / 27, 0);
  });

  it('never say that more tokens take less time', () => {
    const times = measured(onTwoCores);
    for (let count = 0; count < 50; count++) times.note(1, 100);
    expect(times.ratio(1, 2)).toBe(1);
  });
});

describe('the length of a draft', () => {
  /** Runs passes on a text of which each guess is right with this probability, and returns what they did. */
  const run = (share: number, passes: number, streams = 1) => {
    const draft = createDraftLength(measured(onTwoCores));
    let seed = 1;
    const random = () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    };
    const lengths: number[] = [];
    let [tokens, ms] = [0, 0];
    for (let pass = 0; pass < passes; pass++) {
      const length = draft.choose(streams, streams);
      lengths.push(length);
      let right = 0;
      while (right < length && random() < share) right += 1;
      if (length > 0) draft.note(length, right);
      tokens += streams + right;
      ms += onTwoCores(streams + length);
    }
    return { lengths, speedup: tokens / streams / passes / (ms / passes / onTwoCores(streams)) };
  };

  it('grows where guesses are right', () => {
    const { lengths, speedup } = run(0.95, 100);
    expect(lengths[0]).toBeGreaterThan(0);
    expect(lengths[0]).toBeLessThanOrEqual(4);
    expect(Math.max(...lengths)).toBeGreaterThanOrEqual(12);
    expect(speedup).toBeGreaterThan(2.5);
  });

  it('pays at half of them right', () => {
    expect(run(0.5, 300).speedup).toBeGreaterThan(1.05);
  });

  it('soon is none where they are wrong, and is tried again rarely', () => {
    const { lengths, speedup } = run(0, 1000);
    expect(lengths.slice(0, 10).filter((length) => length > 0).length).toBeLessThan(5);
    const tries = lengths.slice(10).filter((length) => length > 0).length;
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(40);
    expect(speedup).toBeGreaterThan(0.98);
  });

  it('is shorter the more replies share the pass, since a longer pass holds up all of them', () => {
    const longest = (streams: number) => Math.max(...run(0.8, 100, streams).lengths);
    expect(longest(1)).toBeGreaterThanOrEqual(longest(4));
    expect(longest(4)).toBeGreaterThanOrEqual(longest(16));
    expect(run(0.8, 100, 16).speedup).toBeGreaterThanOrEqual(0.99);
    expect(run(0.2, 200, 16).speedup).toBeGreaterThan(0.98);
  });
});
