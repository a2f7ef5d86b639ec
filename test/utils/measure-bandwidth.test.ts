import { expect, it } from 'vitest';
import { measureBandwidth } from '../../src/utils/measure-bandwidth.ts';

it('the memory bandwidth of one thread is measured, and other work goes on meanwhile', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  const bandwidth = await measureBandwidth();
  clearInterval(timer);
  // From a slow phone to the fastest server.
  expect(bandwidth).toBeGreaterThan(2e8);
  expect(bandwidth).toBeLessThan(5e11);
  expect(turns).toBeGreaterThan(1);
});
