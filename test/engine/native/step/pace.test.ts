import { describe, expect, it } from 'vitest';
import { type Pressure, promptBudget, promptTokenTime, TOGETHER } from '../../../../src/engine/native/step/pace.ts';

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
  const budget = (pressure: Partial<Pressure>) =>
    promptBudget({ tokenMs: 2, repliesMs: 20, waiting: 1, writing: 1, ...pressure }, 512);

  it('is as many tiles of 64 tokens as take about 250 ms', () => {
    expect(budget({})).toBe(128);
    expect(budget({ writing: 8 })).toBe(128);
    expect(budget({ tokenMs: 3 })).toBe(64);
  });

  it('is larger where more prompts wait than replies are written', () => {
    expect(budget({ waiting: 4, writing: 2 })).toBe(256);
    expect(budget({ waiting: 15 })).toBe(512);
  });

  it('takes five times as long as the replies, where these take long', () => {
    expect(budget({ repliesMs: 100, writing: 16 })).toBe(256);
  });

  it('is the whole batch on a machine that is quick enough', () => {
    expect(budget({ tokenMs: 0.02 })).toBe(512);
  });

  it('is a tile at least', () => {
    expect(budget({ tokenMs: 50, writing: 16 })).toBe(64);
  });

  it('is a quarter of the batch before anything is known', () => {
    expect(budget({ tokenMs: null })).toBe(128);
  });

  it('is half of that where replies and prompts are computed together', () => {
    const together = (pressure: Partial<Pressure>) =>
      promptBudget({ tokenMs: 2, repliesMs: 20, waiting: 1, writing: 1, ...pressure }, 512, TOGETHER);
    expect(together({})).toBe(64);
    expect(together({ repliesMs: 100, writing: 16 })).toBe(128);
    expect(together({ tokenMs: 50 })).toBe(64);
  });

  it('grows there to twice that at most, however many prompts wait', () => {
    const together = (waiting: number) =>
      promptBudget({ tokenMs: 1, repliesMs: 20, waiting, writing: 1 }, 512, TOGETHER);
    expect([1, 2, 3, 15].map(together)).toEqual([128, 256, 256, 256]);
  });
});
