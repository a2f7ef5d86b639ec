import { describe, expect, it } from 'vitest';
import { NO_ADAPTERS } from '../../../../src/engine/native/llama/adapters.ts';
import type { Part } from '../../../../src/engine/native/llama/pass-order.ts';
import { createDriver } from '../../../../src/engine/native/step/driver.ts';
import { gpuCost } from '../../../../src/engine/native/step/gpu-cost.ts';
import { createPassTimes } from '../../../../src/engine/native/step/pass-times.ts';
import { simulateDecoder } from '../../../kit/simulated-gpu.ts';

/** Makes a driver for a device on which each token takes so many ms, and a function that tells if a pass was brief. */
function createRun(tokenMs: number) {
  const launchMs = { single: 0, graph: 0 };
  const device = { name: '', readMs: 0, rowMs: 0, tokenMs, launchMs, buildMs: 0, coldMs: 0, stepMs: 0, drawMs: 0 };
  const { decoder, clock } = simulateDecoder(device, 4, 64);
  const passes: (boolean | undefined)[] = [];
  const noting: typeof decoder = {
    ...decoder,
    decode(parts, threads, options) {
      passes.push(options?.isBrief);
      return decoder.decode(parts, threads, options);
    },
  };
  const threads = { reply: 1, prompt: 1 };
  const driver = createDriver(noting, threads, { governed: false, batchMs: gpuCost, clock }, createPassTimes());
  return async (tokens: number): Promise<boolean | undefined> => {
    const part: Part = { sequence: 0, at: 0, tokens: Array(tokens).fill(1), logitsAt: [tokens - 1] };
    await driver.decode([part], new AbortController().signal, NO_ADAPTERS);
    return passes.at(-1);
  };
}

describe('a pass is brief, so that the event loop may stand still in it,', () => {
  it('if its tokens took little time before', async () => {
    const pass = createRun(2);
    await pass(1);
    expect(await pass(1)).toBe(true);
  });

  it('but not while no time is known', async () => {
    expect(await createRun(500)(1)).toBe(false);
  });

  it('and not with the tokens of a short prompt, which take longer than the one of a reply', async () => {
    const pass = createRun(15);
    for (const tokens of [1, 30, 30, 30, 1]) await pass(tokens);
    expect(await pass(1)).toBe(true);
    expect(await pass(30)).toBe(false);
  });
});
