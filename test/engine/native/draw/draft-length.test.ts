import { describe, expect, it } from 'vitest';
import { createDraftLength, createGuessRecord } from '../../../../src/engine/native/draw/draft-length.ts';
import { measured, onTwoCores } from '../step/measured-times.ts';

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

  it('is longer at once in a reply after others whose guesses were right, and as long as at first after wrong ones', () => {
    const record = createGuessRecord();
    const firstLength = () => createDraftLength(measured(onTwoCores), record).choose(1);
    const atFirst = firstLength();
    const other = createDraftLength(measured(onTwoCores), record);
    for (let pass = 0; pass < 10; pass++) other.note(8, 8);
    expect(firstLength()).toBeGreaterThan(2 * atFirst);
    for (let pass = 0; pass < 300; pass++) other.note(1, 0);
    expect(firstLength()).toBe(atFirst);
  });
});
