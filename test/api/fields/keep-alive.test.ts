import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { keepAliveField, toKeepMs } from '../../../src/api/fields/keep-alive.ts';

describe('keep_alive', () => {
  it.each<[string | number, number | null]>([
    [0, 0],
    ['0', 0],
    ['0s', 0],
    [300, 300_000],
    ['300', 300_000],
    [1.5, 1500],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['0.5h', 1_800_000],
    ['250ms', 250],
    ['1500µs', 1.5],
    [-1, null],
    ['-1', null],
    ['-5m', null],
  ])('of %j is a duration', (given, ms) => {
    expect(v.is(keepAliveField, given)).toBe(true);
    expect(toKeepMs(given)).toBe(ms);
  });

  it.each(['', 'long', '5 m', '5d', 'm', '5m3', '--1', true, {}])('can not be %j', (given) => {
    expect(v.is(keepAliveField, given)).toBe(false);
  });
});
