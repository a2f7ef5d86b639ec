import { describe, expect, it } from 'vitest';
import { createLifetime } from '../../../../../src/engine/native/llama/context/lifetime.ts';

const CONTEXT = 8n;

/** Makes a lifetime that logs when its context is freed. */
function createRun() {
  const log: string[] = [];
  return { lifetime: createLifetime(CONTEXT, () => void log.push('free')), log };
}

describe('the lifetime of a context', () => {
  it('ends when it is closed, once', async () => {
    const { lifetime, log } = createRun();
    expect(lifetime.handle()).toBe(CONTEXT);
    await Promise.all([lifetime.close(), lifetime.close()]);
    expect(log).toEqual(['free']);
    expect(() => lifetime.handle()).toThrow('the context is closed');
    await expect(lifetime.during(async () => 1)).rejects.toThrow('the context is closed');
  });

  it('ends after all calls that are under way, also after one that fails', async () => {
    const { lifetime, log } = createRun();
    let [finish, fail] = [() => {}, () => {}];
    const first = lifetime.during(() => new Promise<void>((resolve) => (finish = resolve)));
    const second = lifetime.during(() => new Promise<void>((_, reject) => (fail = () => reject(new Error('failed')))));
    const closed = lifetime.close();
    finish();
    await first;
    expect(log).toEqual([]);
    fail();
    await expect(second).rejects.toThrow('failed');
    await closed;
    expect(log).toEqual(['free']);
  });
});
