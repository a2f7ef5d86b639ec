import { describe, expect, it } from 'vitest';
import type { ApiKey, KeyLimits } from '../../../src/api/keys/key.ts';
import { createLimiter } from '../../../src/api/keys/limiter.ts';

function keyWith(limits: Partial<KeyLimits>, name = 'alice'): ApiKey {
  const all = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null, ...limits };
  return { name, models: null, manages: false, priority: 0, limits: all };
}

/** A limiter on a clock that the test moves, in seconds. */
function createHouse() {
  let seconds = 0;
  const limiter = createLimiter(() => seconds * 1000);
  return {
    limiter,
    wait: (more: number) => {
      seconds += more;
    },
  };
}

const refusal = (retryAfter: string) => ({
  data: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded', headers: { 'retry-after': retryAfter } },
});

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('the limits of a key', () => {
  it('let in as many requests a minute as they say, and say when the next one may come', () => {
    const { limiter, wait } = createHouse();
    const key = keyWith({ requestsPerMinute: 6 });
    for (let request = 0; request < 6; request++) limiter.enter(key).leave(0);
    expect(errorOf(() => limiter.enter(key))).toMatchObject(refusal('10'));
    wait(9);
    expect(errorOf(() => limiter.enter(key))).toMatchObject(refusal('1'));
    wait(1);
    limiter.enter(key).leave(0);
  });

  it('let a request in while tokens are left, and have the next ones pay for what it took', () => {
    const { limiter, wait } = createHouse();
    const key = keyWith({ tokensPerMinute: 600 });
    limiter.enter(key).leave(1200);
    expect(errorOf(() => limiter.enter(key))).toMatchObject(refusal('61'));
    wait(61);
    limiter.enter(key).leave(0);
  });

  it('reserve the tokens that a request may need, and settle when it leaves', () => {
    const { limiter, wait } = createHouse();
    const key = keyWith({ tokensPerMinute: 600 });
    const passes = Array.from({ length: 100 }, () => limiter.enter(key));
    passes[0]?.reserve(() => 400);
    passes[1]?.reserve(() => 400);
    // The second is the one request that may exceed the limit; it owes 200 tokens.
    for (const pass of passes.slice(2)) expect(errorOf(() => pass.reserve(() => 1))).toMatchObject(refusal('21'));
    expect(errorOf(() => limiter.enter(key))).toMatchObject(refusal('21'));
    for (const pass of passes) pass.leave(0);
    expect(limiter.headers(key)['x-ratelimit-remaining-tokens']).toBe('600');

    const pass = limiter.enter(key);
    pass.reserve(() => 100_000);
    pass.reserve(() => 100_000);
    expect(errorOf(() => limiter.enter(key))).toMatchObject(refusal('1'));
    pass.leave(1200);
    expect(errorOf(() => limiter.enter(key))).toMatchObject(refusal('61'));
    wait(61);
    limiter.enter(key).leave(0);
  });

  it('reserve nothing in the bucket of changed limits', () => {
    const { limiter } = createHouse();
    const pass = limiter.enter(keyWith({ tokensPerMinute: 600 }));
    pass.reserve(() => 600);
    const changed = keyWith({ tokensPerMinute: 500 });
    limiter.enter(changed);
    pass.leave(30);
    expect(limiter.headers(changed)['x-ratelimit-remaining-tokens']).toBe('470');
  });

  it('let no more requests be under way at once, and tell the wait by how long they took', () => {
    const { limiter, wait } = createHouse();
    const key = keyWith({ concurrency: 2 });
    for (let round = 0; round < 40; round++) {
      const pass = limiter.enter(key);
      wait(8);
      pass.leave(1);
    }
    const [first] = [limiter.enter(key), limiter.enter(key)];
    expect(errorOf(() => limiter.enter(key))).toMatchObject(refusal('4'));
    first.leave(1);
    limiter.enter(key);
  });

  it('count each key for itself', () => {
    const { limiter } = createHouse();
    limiter.enter(keyWith({ requestsPerMinute: 1 }));
    limiter.enter(keyWith({ requestsPerMinute: 1 }, 'bob'));
  });

  it('are forgotten when they are changed, but not who is under way', () => {
    const { limiter } = createHouse();
    const pass = limiter.enter(keyWith({ requestsPerMinute: 1, concurrency: 1 }));
    const changed = keyWith({ requestsPerMinute: 5, concurrency: 1 });
    expect(errorOf(() => limiter.enter(changed))).toMatchObject({
      data: { message: expect.stringContaining('under way') },
    });
    pass.leave(0);
    limiter.enter(changed);
  });

  it('are told to a request that began under those before, and stay what they are', () => {
    const { limiter } = createHouse();
    const [before, changed] = [keyWith({ requestsPerMinute: 10 }), keyWith({ requestsPerMinute: 2 })];
    limiter.enter(before);
    limiter.enter(changed);
    expect(limiter.headers(before)).toMatchObject({ 'x-ratelimit-limit-requests': '10' });
    expect(limiter.headers(changed)).toMatchObject({ 'x-ratelimit-remaining-requests': '1' });
    limiter.enter(changed);
    expect(errorOf(() => limiter.enter(changed))).toMatchObject(refusal('30'));
  });

  it('are told in headers, in the form of OpenAI', () => {
    const { limiter, wait } = createHouse();
    const key = keyWith({ requestsPerMinute: 60, tokensPerMinute: 600 });
    limiter.enter(key).leave(150);
    wait(0.5);
    expect(limiter.headers(key)).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '0.5s',
      'x-ratelimit-limit-tokens': '600',
      'x-ratelimit-remaining-tokens': '455',
      'x-ratelimit-reset-tokens': '14.5s',
    });
    expect(limiter.headers(keyWith({ concurrency: 1 }, 'bob'))).toEqual({});
    expect(limiter.headers(null)).toEqual({});
  });

  it('counts what a key does in the background by itself, under the same limits', () => {
    const { limiter } = createHouse();
    const key = keyWith({ concurrency: 1, tokensPerMinute: 10 });
    const background = limiter.enter(key, true);
    background.reserve(() => 10);
    expect(errorOf(() => limiter.enter(key, true))).toMatchObject(refusal('6'));
    expect(limiter.headers(key)['x-ratelimit-remaining-tokens']).toBe('10');
    limiter.enter(key).leave(1);
    background.leave(10);
  });
});
