import { expect, it } from 'vitest';
import { mostUsefulThreads } from '../../../src/engine/wasm/threads.ts';

const MIB = 1024 * 1024;

it.each([
  [3 * MIB, 1],
  [8 * MIB, 1],
  [8 * MIB + 1, Number.POSITIVE_INFINITY],
])('a model of %i bytes has at most %d threads', (fileBytes, threads) => {
  expect(mostUsefulThreads(fileBytes)).toBe(threads);
});
