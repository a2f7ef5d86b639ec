// @module-tag slow
import { describe, expect, it } from 'vitest';
import { createDriver } from '../../../../src/engine/native/step/driver.ts';
import { gpuCost } from '../../../../src/engine/native/step/gpu-cost.ts';
import { createPassTimes } from '../../../../src/engine/native/step/pass-times.ts';
import { warmUp } from '../../../../src/engine/native/step/warm-up.ts';
import { sum } from '../../../../src/utils/sum.ts';
import { H100, type SimulatedGpu, simulateDecoder } from '../../../kit/simulated-gpu.ts';
import { simulateLoad } from '../../../kit/simulated-load.ts';

const SLOTS = 16;
const BATCH = 2048;

function makeEngine(gpu: SimulatedGpu) {
  const simulated = simulateDecoder(gpu, SLOTS, BATCH);
  const { decoder, clock } = simulated;
  const times = createPassTimes();
  const driver = createDriver(decoder, { reply: 1, prompt: 1 }, { governed: false, batchMs: gpuCost, clock }, times);
  return { ...simulated, times, driver };
}

describe.each(Object.values(H100))('the steps of a GPU with a model of $name', (gpu) => {
  it.each([60, 300, 1000])(
    'compute the replies of all streams in one micro-batch after prompts of %i',
    async (prompt) => {
      const engine = makeEngine(gpu);
      await warmUp(engine.decoder, engine.driver, engine.clock);
      for (const streams of [1, 4, SLOTS]) {
        const load = { streams, requests: 3, promptTokens: prompt, replyTokens: 80 };
        const { batches } = await simulateLoad(engine, engine.driver, gpu.drawMs, load);
        expect([...batches.keys()]).toEqual([`${streams}x1`]);
      }
    },
  );

  it('read the prompts of all streams in a few micro-batches, though their lengths differ', async () => {
    const engine = makeEngine(gpu);
    const load = { streams: SLOTS, requests: 1, promptTokens: 100, spread: 0.15, replyTokens: 2 };
    await simulateLoad(engine, engine.driver, 0, load);
    const prompts = engine.passes.flat().filter(({ width }) => width > 1);
    expect(sum(prompts.map(({ sequences }) => sequences))).toBe(SLOTS);
    expect(prompts.length).toBeLessThanOrEqual(2);
  });

  it('take for sixteen replies less than half as long as for four times four', async () => {
    const engine = makeEngine(gpu);
    await warmUp(engine.decoder, engine.driver, engine.clock);
    const stepMs = async (streams: number) => {
      const load = { streams, requests: 2, promptTokens: 60, replyTokens: 80 };
      return (await simulateLoad(engine, engine.driver, 0, load)).stepMs;
    };
    expect(await stepMs(SLOTS)).toBeLessThan(2 * (await stepMs(4)));
  });
});

describe('warming up', () => {
  it('computes each shape of replies until it is no longer cold, and measures it', async () => {
    const { decoder, driver, clock, passes, times } = makeEngine(H100['7B']);
    await warmUp(decoder, driver, clock);
    expect(times.rows.knows(SLOTS)).toBe(true);
    expect(times.rows.of(SLOTS)).toBeLessThan(2 * times.rows.of(1));
    expect(driver.promptTokenMs).toBeLessThan(0.2);
    expect(passes).toContainEqual([{ sequences: 1, width: BATCH }]);
  });

  it('ends soon on a slow GPU, and leaves a whole batch out', async () => {
    const { decoder, driver, clock, passes } = makeEngine({ ...H100['7B'], readMs: 200, tokenMs: 20 });
    await warmUp(decoder, driver, clock);
    expect(clock()).toBeLessThan(5000);
    expect(passes).not.toContainEqual([{ sequences: 1, width: BATCH }]);
  });
});
