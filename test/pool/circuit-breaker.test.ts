import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/contract/errors.ts';
import { createCircuitBreaker } from '../../src/pool/circuit-breaker.ts';

/** A breaker on a clock of the test's. */
function breakerAt() {
  const clock = { now: 0 };
  const breaker = createCircuitBreaker(() => clock.now);
  const die = (times: number) => {
    for (let death = 0; death < times; death++) breaker.noteDeath();
  };
  return { clock, breaker, die };
}

describe('a breaker', () => {
  it('lets four deaths within a minute pass, and refuses for half a minute after the fifth, saying why', () => {
    const { clock, breaker, die } = breakerAt();
    die(4);
    expect(() => breaker.check()).not.toThrow();
    die(1);
    clock.now = 10_000;
    let refusal: unknown;
    try {
      breaker.check();
    } catch (error) {
      refusal = (error as ApiError).data;
    }
    expect(refusal).toMatchObject({
      status: 503,
      code: 'engine_unavailable',
      message: expect.stringContaining('5 times'),
      headers: { 'retry-after': '20' },
    });
    clock.now = 30_000;
    expect(() => breaker.check()).not.toThrow();
  });

  it('opens again at the first death after the pause', () => {
    const { clock, breaker, die } = breakerAt();
    die(5);
    clock.now = 31_000;
    die(1);
    expect(() => breaker.check()).toThrow(ApiError);
  });

  it('forgets deaths that are older than a minute, and all of them when a generation ends well', () => {
    const { clock, breaker, die } = breakerAt();
    die(4);
    clock.now = 61_000;
    die(1);
    expect(() => breaker.check()).not.toThrow();
    die(3);
    breaker.noteSuccess();
    die(4);
    expect(() => breaker.check()).not.toThrow();
  });
});
