import { describe, expect, it } from 'vitest';
import { promptBudget, promptTokenTime } from '../../../src/engine/native/pace.ts';

/** What a prompt token takes after steps with so many prompt tokens that took so many ms. */
const timeAfter = (...steps: [prompts: number, ms: number][]) =>
  steps.reduce((before: number | null, [prompts, ms]) => promptTokenTime(before, prompts, ms), null);

describe('the time of a prompt token', () => {
  it('is that of the steps with prompts', () => {
    expect(timeAfter([500, 1000])).toBe(2);
  });

  it('follows what changes, and forgives a single slow step', () => {
    expect(timeAfter([500, 1000], [500, 5000])).toBeLessThan(5);
    const slow = Array.from({ length: 12 }, (): [number, number] => [500, 5000]);
    expect(timeAfter([500, 1000], ...slow)).toBeCloseTo(10, 0);
  });

  it('is not learnt from the last few tokens of a prompt, nor from a step without any', () => {
    expect(timeAfter([500, 1000], [2, 40], [0, 20])).toBe(2);
  });
});

describe('the share of prompts in a step', () => {
  it('is as many tokens as take 250 ms', () => {
    expect(promptBudget(2, 1, 1, 512)).toBe(125);
    expect(promptBudget(2, 1, 8, 512)).toBe(125);
  });

  it('is larger where more prompts wait than replies are written', () => {
    expect(promptBudget(2, 4, 2, 512)).toBe(250);
    expect(promptBudget(2, 15, 1, 512)).toBe(512);
  });

  it('is the whole batch on a machine that is quick enough', () => {
    expect(promptBudget(0.02, 1, 1, 512)).toBe(512);
  });

  it('is never so small that it would tell nothing of what a token takes', () => {
    expect(promptBudget(50, 1, 16, 512)).toBe(64);
  });

  it('is a quarter of the batch before anything is known', () => {
    expect(promptBudget(null, 1, 1, 512)).toBe(128);
  });
});
