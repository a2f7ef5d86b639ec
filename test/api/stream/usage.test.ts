import { describe, expect, it } from 'vitest';
import { createCompletionHead, toTimings, toUsage } from '../../../src/api/stream/usage.ts';
import { done } from '../fixtures.ts';

const head = createCompletionHead('chatcmpl', 'org/"tiny"', 'paddock-test', 1_700_000_000_999);

describe('what all completions share', () => {
  it('has an id of its own and the time in seconds', () => {
    expect(head).toMatchObject({ created: 1_700_000_000, model: 'org/"tiny"', system_fingerprint: 'paddock-test' });
    expect(head.id).toMatch(/^chatcmpl-\w+$/);
    expect(createCompletionHead('cmpl', 'a', 'b', 0).id).toMatch(/^cmpl-\w+$/);
    expect(createCompletionHead('chatcmpl', 'a', 'b', 0).id).not.toBe(head.id);
  });

  it('has the number of cached prompt tokens', () => {
    expect(toUsage(done()).prompt_tokens_details).toEqual({ cached_tokens: 4 });
  });

  it('has the timings of llama-server', () => {
    expect(toTimings(done())).toEqual({
      cache_n: 4,
      prompt_n: 8,
      prompt_ms: 20,
      prompt_per_second: 400,
      predicted_n: 3,
      predicted_ms: 30,
      predicted_per_second: 100,
    });
  });

  it('say where the cached tokens came from, and why there were not more', () => {
    const miss = { at: 4, why: 'changed' as const, before: 'today is ', after: 'Tuesday' };
    expect(toTimings(done({ cache: { slot: 1, copied: 3, ram: 0, disk: 0, miss } })).cache).toEqual({
      slot_n: 1,
      copied_n: 3,
      ram_n: 0,
      disk_n: 0,
      miss: { token: 4, why: 'changed', before: 'today is ', after: 'Tuesday' },
    });
  });

  it('has finite rates when no time has passed', () => {
    const timings = toTimings(done({ promptMs: 0, predictedMs: 0 }));
    expect(timings).toMatchObject({ prompt_per_second: 0, predicted_per_second: 0 });
  });
});
