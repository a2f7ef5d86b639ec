import { describe, expect, it } from 'vitest';
import {
  createDraftLength,
  createPasses,
  createPassTimes,
  type PassTimes,
} from '../../../src/engine/native/draft-length.ts';

/** Times as they were measured on two cores: more tokens in a pass cost little, up to a point. */
const onTwoCores = (tokens: number) => (tokens <= 16 ? 27 * tokens ** 0.3 : 62 + (tokens - 16) * 1.8);

/** How many times as long as a pass of `tokens` tokens one of `more` takes. */
const ratio = (times: PassTimes, tokens: number, more: number) => times.of(more) / times.of(tokens);

const measured = (ms: (tokens: number) => number) => {
  const times = createPassTimes();
  for (const tokens of [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 64, 128]) times.note(tokens, ms(tokens));
  return times;
};

describe('the times of passes', () => {
  it('are guessed until they are measured', () => {
    const times = createPassTimes();
    expect(ratio(times, 1, 4)).toBeCloseTo(1.5, 1);
    expect(ratio(times, 1, 16)).toBeCloseTo(2.3, 1);
    times.note(1, 20);
    expect(ratio(times, 1, 4)).toBeCloseTo(1.5, 1);
  });

  it('are those that were measured, and between two of them in between', () => {
    const times = measured((tokens) => 10 + tokens);
    expect(ratio(times, 1, 8)).toBeCloseTo(18 / 11, 1);
    const five = ratio(times, 1, 5);
    expect(five).toBeGreaterThan(ratio(times, 1, 4));
    expect(five).toBeLessThan(ratio(times, 1, 6));
  });

  it('follow a machine that becomes slower, but not one slow pass', () => {
    const times = measured(onTwoCores);
    const before = ratio(times, 1, 8);
    times.note(8, 5000);
    expect(ratio(times, 1, 8)).toBeLessThan(before * 1.11);
    for (let count = 0; count < 50; count++) times.note(8, 500);
    expect(ratio(times, 1, 8)).toBeGreaterThan(8);
  });

  it('forget a pass that was slow by chance, though no other of its kind is tried', () => {
    const times = createPassTimes();
    times.note(1, 20);
    times.note(4, 1000);
    expect(ratio(times, 1, 4)).toBeGreaterThan(40);
    for (let count = 0; count < 1500; count++) times.note(1, 20);
    expect(ratio(times, 1, 4)).toBeLessThan(2.2);
  });
});

describe('the length of a draft', () => {
  /** Runs passes on a text of which each guess is right with this probability, and returns what they did. */
  const run = (share: number, passes: number) => {
    const draft = createDraftLength(measured(onTwoCores));
    let seed = 1;
    const random = () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    };
    const lengths: number[] = [];
    let [tokens, ms] = [0, 0];
    for (let pass = 0; pass < passes; pass++) {
      const length = draft.choose(1);
      lengths.push(length);
      let right = 0;
      while (right < length && random() < share) right += 1;
      if (length > 0) draft.note(length, right);
      tokens += 1 + right;
      ms += onTwoCores(1 + length);
    }
    return { lengths, speedup: tokens / passes / (ms / passes / onTwoCores(1)) };
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

  it('is longer where a prompt makes the pass long anyway', () => {
    const draft = createDraftLength(measured(onTwoCores));
    expect(draft.choose(100)).toBeGreaterThan(draft.choose(1));
  });
});

describe('passes', () => {
  it('tell what the latest had, and are timed where all sequences bring equally many tokens', () => {
    const passes = createPasses();
    passes.begin([1, 8], 2);
    expect(passes.latest).toEqual({ tokens: 9, replies: 2 });
    passes.end(5);
    passes.begin([1], 1);
    passes.end(10);
    passes.begin([2, 2], 2);
    passes.end(20);
    expect(ratio(passes.times, 1, 4)).toBeCloseTo(2, 1);
    expect(ratio(passes.times, 4, 9)).toBeCloseTo((9 / 4) ** 0.3, 1);
  });
});
