import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Demand, planStep } from '../../../../src/engine/native/step/step-plan.ts';
import { sum } from '../../../../src/utils/sum.ts';

const reply = (tokens = 1): Demand => ({ prompt: 0, reply: tokens, since: 0 });
const prompt = (tokens: number, waited = 0): Demand => ({ prompt: tokens, reply: 0, since: -waited });
const plan = (demands: Demand[], batchSize = 512, promptBudget = 128) =>
  planStep(demands, { batchSize, promptBudget, now: 0 });

describe('step plan', () => {
  it('grants nothing if nothing runs', () => {
    expect(plan([])).toEqual([]);
  });

  it('gives the whole batch to prompts if no reply is written', () => {
    expect(plan([prompt(2000)])).toEqual([512]);
    expect(plan([prompt(300)])).toEqual([300]);
  });

  it('gives no prompt tokens to replies', () => {
    expect(plan([reply(), reply()])).toEqual([0, 0]);
  });

  it('limits prompts to their budget while a reply is written, so that no stream stalls long', () => {
    expect(plan([reply(), prompt(2000)])).toEqual([0, 128]);
    expect(plan([prompt(100, 10), reply(), prompt(20)])).toEqual([100, 0, 20]);
  });

  it('limits prompts to their budget as well while replies wait for their pass without being part of it', () => {
    const waitedFor = { batchSize: 512, promptBudget: 128, now: 0, repliesWait: true };
    expect(planStep([prompt(2000)], waitedFor)).toEqual([128]);
    expect(planStep([reply(), prompt(2000)], waitedFor)).toEqual([0, 128]);
  });

  it('leaves room for replies, even if nearly all are', () => {
    expect(plan([...Array.from({ length: 7 }, () => reply()), prompt(9)], 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect(plan([reply(4), reply(4), prompt(9)], 10)).toEqual([0, 0, 2]);
  });

  it('cuts a prompt at multiples of 64 tokens, and begins no other with less', () => {
    expect(plan([reply(), prompt(2000)], 512, 200)).toEqual([0, 192]);
    expect(plan([reply(), prompt(100, 10), prompt(2000)], 512, 160)).toEqual([0, 100, 0]);
    expect(plan([prompt(2000)], 200)).toEqual([192]);
  });

  it('takes what there is room for where that is less', () => {
    expect(plan([reply(), prompt(2000)], 32, 64)).toEqual([0, 31]);
  });

  it('moves a prompt on even where the budget is less than a token', () => {
    expect(plan([reply(), prompt(9)], 512, 0)).toEqual([0, 1]);
  });

  it('serves prompts of one length in order of arrival', () => {
    expect(plan([prompt(300, 3), prompt(300, 2), prompt(300, 1)])).toEqual([300, 192, 0]);
  });

  it('does not keep a short prompt behind a long one', () => {
    expect(plan([reply(), prompt(4000, 1000), prompt(40, 20)])).toEqual([0, 64, 40]);
  });

  it('does not keep a long prompt behind ever new short ones', () => {
    // A prompt of 60 tokens comes with every step, and each step has room for 60.
    const long = { left: 600, since: 0 };
    let short: Demand[] = [];
    let steps = 0;
    for (let now = 0; long.left > 0; now += 100) {
      short.push({ prompt: 60, reply: 0, since: now });
      const demands = [{ prompt: long.left, reply: 0, since: long.since }, ...short];
      const [granted = 0, ...others] = planStep(demands, { batchSize: 60, promptBudget: 60, now });
      long.left -= granted;
      short = short.map((demand, index) => ({ ...demand, prompt: demand.prompt - (others[index] ?? 0) }));
      short = short.filter((demand) => demand.prompt > 0);
      steps += 1;
      if (steps > 100) break;
    }
    expect(long.left).toBe(0);
  });

  it('never overfills the batch, never grants more than is pending, and always moves a prompt on', () => {
    const demand = fc.oneof(
      fc.integer({ min: 1, max: 4 }).map(reply),
      fc
        .tuple(fc.integer({ min: 1, max: 5000 }), fc.nat({ max: 60_000 }))
        .map(([tokens, waited]) => prompt(tokens, waited)),
    );
    fc.assert(
      fc.property(
        fc.array(demand, { minLength: 1, maxLength: 32 }),
        fc.nat(2048),
        fc.nat(600),
        (demands, room, budget) => {
          const replies = sum(demands.map((one) => one.reply));
          const batchSize = replies + 1 + room;
          const granted = plan(demands, batchSize, budget);
          expect(granted).toHaveLength(demands.length);
          expect(granted.every((count, index) => count >= 0 && count <= (demands[index]?.prompt ?? 0))).toBe(true);
          expect(sum(granted) + replies).toBeLessThanOrEqual(batchSize);
          if (replies > 0) expect(sum(granted)).toBeLessThanOrEqual(Math.max(1, budget));
          if (demands.some((one) => one.prompt > 0)) expect(sum(granted)).toBeGreaterThan(0);
        },
      ),
    );
  });
});
