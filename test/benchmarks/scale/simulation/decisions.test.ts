import { describe, expect, it } from 'vitest';
import { interpolateSteps, paceOf } from '../../../../benchmarks/scale/simulation/pace.ts';
import type { SimulatedRequest } from '../../../../benchmarks/scale/simulation/request.ts';
import { type DueTurn, toRequest, turnAfter } from '../../../../benchmarks/scale/simulation/simulate.ts';
import { type CachedSlot, chooseFreeSlot } from '../../../../benchmarks/scale/simulation/slots.ts';

const request: SimulatedRequest = {
  conversation: 1,
  app: 1,
  systemTokens: 20,
  promptTokens: 100,
  replyTokens: 10,
  arrivedAtMs: 0,
};

const slot = (given: Partial<CachedSlot> = {}): CachedSlot => ({
  conversation: null,
  app: null,
  tokens: 0,
  usedAtMs: 0,
  ...given,
});

describe('the choice of a slot', () => {
  const own = slot({ conversation: 1, app: 1, tokens: 80, usedAtMs: 9 });
  const neighbour = slot({ conversation: 2, app: 1, tokens: 50, usedAtMs: 2 });
  const short = slot({ conversation: 3, app: 1, tokens: 5, usedAtMs: 1 });
  const stranger = slot({ conversation: 4, app: 2, tokens: 50, usedAtMs: 1 });
  const full = slot({ conversation: 1, app: 1, tokens: 100 });

  it.each<[string, CachedSlot[], CachedSlot, number]>([
    ['takes the slot of the conversation, however recently it was used', [stranger, own], own, 80],
    [
      'takes the least recently used slot otherwise, with the system prompt of its app',
      [neighbour, slot({ usedAtMs: 3 })],
      neighbour,
      20,
    ],
    ['has no more cached than the slot holds', [neighbour, short], short, 5],
    ['has nothing cached of another app', [neighbour, stranger], stranger, 0],
    ['computes at least one token', [full], full, 99],
  ])('%s', (_, free, chosen, cachedTokens) => {
    const choice = chooseFreeSlot(free, request);
    expect(choice.slot).toBe(chosen);
    expect(choice.cachedTokens).toBe(cachedTokens);
  });
});

describe('the pace', () => {
  const times = { stepMs: (streams: number) => 50 * streams, msPerPromptToken: 10 };

  it.each([
    ['of streams alone', 2, 0, { read: 0, write: 1 / 100 }],
    ['of prompts alone', 0, 3, { read: 1 / 10, write: 0 }],
    ['of both: each step has a chunk of 128 tokens as well', 1, 1, { read: 128 / 1330, write: 1 / 1330 }],
  ])('%s', (_, writers, readers, pace) => {
    expect(paceOf(writers, readers, times)).toEqual(pace);
  });

  it.each([
    [1, 10],
    [2, 20],
    [3, 30],
    [4, 40],
    [5, 40],
  ])('has a step with %i streams between the measured ones', (streams, ms) => {
    expect(interpolateSteps({ 4: 40, 1: 10 })(streams)).toBe(ms);
  });
});

describe('a turn', () => {
  const asked = { newTokens: 5, replyTokens: 7, thinkMs: 1000 };
  const first: DueTurn = {
    kind: 'turn',
    conversation: { id: 3, key: 3, app: 2, systemTokens: 20, beginsAtMs: 0, turns: [asked, asked] },
    turn: 0,
    historyTokens: 0,
  };
  const facts = { conversation: 3, app: 2, systemTokens: 20, replyTokens: 7 };

  it('asks with the system prompt first, then with the history, until the conversation has ended', () => {
    const opening = toRequest(first, 10);
    expect(opening).toEqual({ ...facts, promptTokens: 25, arrivedAtMs: 10 });
    const second = turnAfter(first, {
      request: { ...request, promptTokens: 25, replyTokens: 7 },
      cachedTokens: 0,
      ttftMs: 1,
    });
    const next = toRequest(second, 2000);
    expect(next).toEqual({ ...facts, promptTokens: 37, arrivedAtMs: 2000 });
    const third = turnAfter(second, { request, cachedTokens: 0, ttftMs: 1 });
    expect(toRequest(third, 3000)).toBeNull();
  });
});
