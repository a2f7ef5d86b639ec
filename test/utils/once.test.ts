import { describe, expect, it } from 'vitest';
import { once } from '../../src/utils/once.ts';

describe('a thing that is made once', () => {
  it('is made at the first call, also for those who ask meanwhile', async () => {
    let count = 0;
    const get = once(async () => {
      count += 1;
      return { count };
    });
    expect(count).toBe(0);
    const [one, other] = await Promise.all([get(), get()]);
    expect(one).toBe(other);
    expect(await get()).toBe(one);
  });

  it('is made again if it failed', async () => {
    let count = 0;
    const get = once(async () => {
      count += 1;
      if (count === 1) throw new Error('not now');
      return count;
    });
    const [one, other] = await Promise.allSettled([get(), get()]);
    expect([one.status, other.status]).toEqual(['rejected', 'rejected']);
    expect(await get()).toBe(2);
  });
});
