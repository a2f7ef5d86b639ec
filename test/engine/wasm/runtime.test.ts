import { expect, it } from 'vitest';
import { compileRuntime } from '../../../src/engine/wasm/node/runtime.ts';

it('is compiled once, so that all threads share its code', async () => {
  const runtime = await compileRuntime();
  expect(runtime.name).toMatch(/^(64-bit|32-bit, compatible)$/);
  expect(runtime.module.constructor.name).toBe('Module');
  expect(await compileRuntime()).toBe(runtime);
});
