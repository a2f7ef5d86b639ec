import { describe, expect, it } from 'vitest';
import type { Party } from '../../src/contract/call-context.ts';
import {
  claimToRefuse,
  firstOf,
  holdsToEnd,
  meanAfter,
  retryAfterSeconds,
  type SlotHold,
  slotsBesideOthers,
} from '../../src/dispatch/slot-order.ts';

const claim = (name: string, { priority = 0, held = 0, served = 0 } = {}) => ({
  party: { name, priority },
  share: { held, served },
});

describe('the claim that is served first', () => {
  const many = { held: 5, served: 9 };
  it.each([
    ['of none is none', [], undefined],
    ['of one', [claim('a')], 'a'],
    ['of two that are equal: the earlier one', [claim('a'), claim('b')], 'a'],
    ['has the higher priority, whatever its party holds', [claim('a'), claim('b', { ...many, priority: 1 })], 'b'],
    ['has fewer slots, also if it was served later', [claim('a', { held: 2, served: 1 }), claim('b', many)], 'a'],
    ['has fewer slots, also if it came later', [claim('a', many), claim('b', { held: 4, served: 10 })], 'b'],
    ['was served longer ago', [claim('a', { served: 2 }), claim('b', { served: 1 }), claim('c', { served: 3 })], 'b'],
  ])('%s', (_, claims, first) => {
    expect(firstOf(claims)?.party.name).toBe(first);
  });
});

describe('the claim that is refused in a full queue', () => {
  it.each([
    ['', 'a', null],
    ['a', 'a', null],
    ['aab', 'a', null],
    ['ab', 'c', null],
    ['aab', 'c', 1],
    ['aab', 'b', null],
    ['aaab', 'b', 2],
    ['abab', 'c', 3],
    ['abcb', 'c', null],
  ])('of the parties %s, when one of %s comes, is the one at %s', (parties, newcomer, index) => {
    const claims = [...parties].map((name) => claim(name));
    const refused = claimToRefuse(claims, { name: newcomer, priority: 0 });
    expect(refused).toBe(index === null ? null : claims[index]);
  });
});

describe('work in the background', () => {
  const batch = { name: 'a', priority: -1, giveWay: () => {} };
  const chat = { name: 'a', priority: 0 };
  const hold = (party: Party, count = 1, leaving = false) => ({ party, count, leaving });

  it.each([
    [1, 0],
    [2, 1],
    [4, 1],
    [16, 4],
  ])('of a model with %i slots may hold %i beside others', (slots, most) => {
    expect(slotsBesideOthers(slots)).toBe(most);
  });

  it('is refused first in a full queue, whoever comes, and never takes the place of another', () => {
    const claims = [claim('b'), { ...claim('a'), party: batch }, claim('b'), claim('b')];
    expect(claimToRefuse(claims, { name: 'b', priority: 0 })).toBe(claims[1]);
    expect(claimToRefuse(claims, batch)).toBeNull();
  });

  it.each<[string, SlotHold[], Party, number, number[]]>([
    ['the latest of it ends for a caller', [hold(batch), hold(batch), hold(chat)], chat, 1, [1]],
    ['as much ends as the caller lacks', [hold(batch), hold(batch), hold(batch)], chat, 2, [2, 1]],
    ['what holds several slots ends once', [hold(batch), hold(batch, 2)], chat, 2, [1]],
    ['what ends already counts', [hold(batch), hold(batch, 1, true)], chat, 1, []],
    ['what a caller began does not end', [hold(chat)], chat, 1, []],
    ['nothing ends for other work in the background', [hold(batch)], { ...batch, priority: 0 }, 1, []],
    ['nothing ends for a caller of a lower priority', [hold(batch)], { name: 'b', priority: -2 }, 1, []],
  ])('%s', (_, holds, party, lacking, ending) => {
    expect(holdsToEnd(holds, party, lacking).map((each) => holds.indexOf(each))).toEqual(ending);
  });
});

describe('the time after which a client should retry', () => {
  it.each([
    [3, 1, null, 5],
    [0, 1, 10_000, 1],
    [1, 1, 1, 1],
    [4, 2, 3000, 6],
    [3, 2, 1000, 2],
    [1000, 1, 60_000, 120],
  ])('with %i waiting for %i slots of which each is used for %s ms is %i s', (waiting, slots, meanMs, seconds) => {
    expect(retryAfterSeconds(waiting, slots, meanMs)).toBe(seconds);
  });

  it('follows the latest uses', () => {
    expect(meanAfter(null, 100)).toBe(100);
    expect(meanAfter(100, 200)).toBe(120);
  });
});
