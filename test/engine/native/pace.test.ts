import { describe, expect, it } from 'vitest';
import { afterStep, type ObservedStep, promptBudget, UNKNOWN_PACE } from '../../../src/engine/native/pace.ts';

const paceOf = (...steps: ObservedStep[]) => steps.reduce(afterStep, UNKNOWN_PACE);
const prompt = (prompts: number, ms: number): ObservedStep => ({ prompts, replies: 0, ms });
const reply = (ms: number): ObservedStep => ({ prompts: 0, replies: 1, ms });

describe('the pace', () => {
  it('tells what a prompt token costs', () => {
    expect(paceOf(prompt(500, 1000)).promptTokenMs).toBe(2);
  });

  it('tells it apart from the replies of the same step', () => {
    expect(paceOf(reply(40), { prompts: 100, replies: 1, ms: 240 }).promptTokenMs).toBe(2);
  });

  it('follows what changes, and forgives a single slow step', () => {
    const slowed = paceOf(prompt(500, 1000), prompt(500, 5000));
    expect(slowed.promptTokenMs).toBeLessThan(5);
    const slow = Array.from({ length: 12 }, () => prompt(500, 5000));
    expect(paceOf(prompt(500, 1000), ...slow).promptTokenMs).toBeCloseTo(10, 0);
  });

  it('learns nothing of a prompt from its last few tokens', () => {
    expect(paceOf(prompt(500, 1000), prompt(2, 40)).promptTokenMs).toBe(2);
  });
});

describe('the share of prompts in a step', () => {
  it('is as many tokens as take 150 ms', () => {
    expect(promptBudget(paceOf(prompt(500, 1000)), 1, 1, 512)).toBe(75);
    expect(promptBudget(paceOf(prompt(500, 1000)), 1, 8, 512)).toBe(75);
  });

  it('is larger where more prompts wait than replies are written', () => {
    expect(promptBudget(paceOf(prompt(500, 1000)), 4, 2, 512)).toBe(150);
    expect(promptBudget(paceOf(prompt(500, 1000)), 15, 1, 512)).toBe(512);
  });

  it('is the whole batch on a machine that is quick enough', () => {
    expect(promptBudget(paceOf(prompt(500, 10)), 1, 1, 512)).toBe(512);
  });

  it('does not shrink because many replies are written beside a prompt', () => {
    // A step of 16 replies takes 65 ms, and no step without prompts has told so. A pass of few tokens takes 40 ms at least.
    let pace = paceOf(reply(20), prompt(500, 1000));
    for (let step = 0; step < 50; step++) {
      const prompts = promptBudget(pace, 1, 16, 512);
      pace = afterStep(pace, { prompts, replies: 16, ms: 40 + 65 + 2 * prompts });
    }
    expect(promptBudget(pace, 1, 16, 512)).toBeGreaterThanOrEqual(64);
  });

  it('is a quarter of the batch before anything is known', () => {
    expect(promptBudget(UNKNOWN_PACE, 1, 1, 512)).toBe(128);
  });
});
