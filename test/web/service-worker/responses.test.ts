import { describe, expect, it } from 'vitest';
import { surplus } from '../../../web/service-worker/responses.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const now = 1_700_000_000_000;
const entry = (name: string, minutesAgo: number, bytes = 10) => ({ name, bytes, used: now - minutesAgo * 60_000 });
const namesOf = (entries: { name: string }[]) => entries.map(({ name }) => name);

describe('the responses that a service worker drops when it stores another', () => {
  const entries = [entry('c', 3), entry('a', 1), entry('d', 4), entry('b', 2)];

  it('are none while all fit', () => {
    expect(surplus(entries, { responses: 4, bytes: 40 }, now)).toEqual([]);
  });

  it('are those that were used longest ago, where there are too many or too large ones', () => {
    expect(namesOf(surplus(entries, { responses: 3, bytes: 40 }, now))).toEqual(['d']);
    expect(namesOf(surplus(entries, { responses: 4, bytes: 20 }, now))).toEqual(['c', 'd']);
  });

  it('are those that nobody has used for a day', () => {
    const old = { ...entry('old', 0), used: now - DAY_MS - 1 };
    expect(namesOf(surplus([old, ...entries], { responses: 9, bytes: 90 }, now))).toEqual(['old']);
  });
});
