import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planStep } from '../../../src/engine/native/step-plan.ts';

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

describe('step plan', () => {
  it('grants nothing if nothing runs', () => {
    expect(planStep([], 512)).toEqual([]);
  });

  it('gives the whole batch to prompts if no generation decodes', () => {
    expect(planStep([2000], 512)).toEqual([512]);
    expect(planStep([300], 512)).toEqual([300]);
  });

  it('serves prompts in order of arrival', () => {
    expect(planStep([300, 300, 300], 512)).toEqual([300, 212, 0]);
  });

  it('gives no prompt tokens to those that decode', () => {
    expect(planStep([0, 0, 0], 512)).toEqual([0, 0, 0]);
  });

  it('limits prompts to a quarter of the batch while a generation decodes, so that no stream stalls long', () => {
    expect(planStep([0, 2000, 50], 512)).toEqual([0, 128, 0]);
    expect(planStep([100, 0, 50], 512)).toEqual([100, 0, 28]);
  });

  it('leaves room for those that decode, even if nearly all do', () => {
    expect(planStep([0, 0, 0, 0, 0, 0, 0, 9], 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('moves a prompt on even when a quarter of the batch is less than a token', () => {
    expect(planStep([0, 9], 2)).toEqual([0, 1]);
  });

  it('never overfills the batch, never grants more than is pending, and always moves the oldest prompt on', () => {
    const pending = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 5000 })), { minLength: 1, maxLength: 32 });
    fc.assert(
      fc.property(pending, fc.nat({ max: 2048 }), (counts, room) => {
        const batchSize = counts.length + room;
        const granted = planStep(counts, batchSize);
        const decoding = counts.filter((count) => count === 0).length;
        expect(granted).toHaveLength(counts.length);
        expect(granted.every((count, index) => count >= 0 && count <= (counts[index] ?? 0))).toBe(true);
        expect(sum(granted) + decoding).toBeLessThanOrEqual(batchSize);

        const prompts = counts.flatMap((count, index) => (count > 0 ? [{ count, granted: granted[index] ?? 0 }] : []));
        if (prompts.length > 0) expect(prompts[0]?.granted).toBeGreaterThan(0);
        // A prompt gets tokens only if every earlier prompt has all that it needs.
        const short = prompts.findIndex((prompt) => prompt.granted < prompt.count);
        if (short !== -1) expect(sum(prompts.slice(short + 1).map((prompt) => prompt.granted))).toBe(0);
      }),
    );
  });
});
