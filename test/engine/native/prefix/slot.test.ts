import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseSlot as choose, type SlotCandidate, type SlotCosts } from '../../../../src/engine/native/prefix/slot.ts';

/** A pass for several replies takes as long as one pass for each of them: where a slot lies makes no difference. */
const COSTS: SlotCosts = { copyTokens: 64, moveMs: 64, rowsMs: (slots) => 10 * slots };
const chooseSlot = (candidates: SlotCandidate[], costs = COSTS) => choose(candidates, costs);

const slot = (overrides: Partial<SlotCandidate> = {}): SlotCandidate => ({
  busy: false,
  usedAt: 0,
  cached: 0,
  shared: 0,
  unique: Math.floor((overrides.cached ?? 0) / 16),
  namesake: false,
  lossMs: overrides.unique === 0 ? 0 : (overrides.cached ?? 0),
  ...overrides,
});

describe('choice of a slot', () => {
  it('finds none when all are busy', () => {
    expect(chooseSlot([])).toBeUndefined();
    expect(chooseSlot([slot({ busy: true }), slot({ busy: true, cached: 100, shared: 100 })])).toBeUndefined();
  });

  it('takes the first of unused slots', () => {
    expect(chooseSlot([slot(), slot()])).toBe(0);
  });

  it('continues the conversation that a slot holds', () => {
    const other = slot({ usedAt: 1, cached: 80, shared: 5 });
    const same = slot({ usedAt: 9, cached: 100, shared: 100 });
    expect(chooseSlot([slot(), other, same])).toBe(2);
  });

  it('takes the slot with the longest common beginning if the prompt continues several', () => {
    expect(chooseSlot([slot({ cached: 40, shared: 40 }), slot({ cached: 100, shared: 90 })])).toBe(1);
  });

  it('does not overwrite another conversation for a short common beginning', () => {
    const unused = slot();
    const sameSystemPrompt = slot({ usedAt: 5, cached: 1000, shared: 100 });
    expect(chooseSlot([sameSystemPrompt, unused])).toBe(1);
  });

  it('takes the slot that was unused for longest if the prompt continues none', () => {
    expect(
      chooseSlot([slot({ usedAt: 7, cached: 9 }), slot({ usedAt: 3, cached: 9 }), slot({ usedAt: 5, cached: 9 })]),
    ).toBe(1);
  });

  it('takes the older state of the same conversation, by its name, if it has changed from early on', () => {
    const another = slot({ usedAt: 1, cached: 900, shared: 20 });
    const outdated = slot({ usedAt: 9, cached: 1000, shared: 20, namesake: true });
    expect(chooseSlot([another, outdated])).toBe(1);
    expect(chooseSlot([slot({ cached: 500, shared: 400 }), outdated])).toBe(0);
  });

  it('leaves a conversation as it is that branches early, if another slot has nothing to lose', () => {
    const branched = slot({ usedAt: 1, cached: 1000, shared: 800 });
    const copyOfOther = slot({ usedAt: 9, cached: 500, unique: 0 });
    expect(chooseSlot([branched, copyOfOther])).toBe(1);
    expect(chooseSlot([branched, slot({ cached: 500 })])).toBe(0);
    expect(chooseSlot([slot({ cached: 1000, shared: 960 }), copyOfOther])).toBe(0);
  });

  it('overwrites rather what another slot holds as well than what was unused for longest', () => {
    const copyOfOther = slot({ usedAt: 9, cached: 500, unique: 0 });
    expect(chooseSlot([slot({ usedAt: 1, cached: 500 }), copyOfOther])).toBe(1);
  });

  it('waits for no busy slot, however well it fits', () => {
    expect(chooseSlot([slot({ busy: true, cached: 100, shared: 100 }), slot({ usedAt: 8, cached: 50 })])).toBe(1);
  });

  it('always finds a free slot when there is one, and leaves the candidates as they were', () => {
    const candidate = fc
      .record({
        busy: fc.boolean(),
        usedAt: fc.nat(),
        cached: fc.nat({ max: 100 }),
        shared: fc.nat({ max: 100 }),
        unique: fc.nat({ max: 6 }),
        namesake: fc.boolean(),
        lossMs: fc.nat({ max: 10_000 }),
      })
      .map((fields) => ({ ...fields, shared: Math.min(fields.shared, fields.cached) }));
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 8 }), (candidates) => {
        const before = structuredClone(candidates);
        const index = chooseSlot(candidates);
        expect(candidates).toEqual(before);
        if (index === undefined) expect(candidates.every(({ busy }) => busy)).toBe(true);
        else expect(candidates[index]?.busy).toBe(false);
      }),
    );
  });
});

describe('choice of a slot while others write', () => {
  /** A second pass takes 20 ms, and another reply in the same one 10 ms: a place apart costs 1,000 ms for 100 tokens. */
  const costs: SlotCosts = { ...COSTS, rowsMs: (slots) => 20 + 10 * slots };
  const takeBeside = (candidates: SlotCandidate[]) => chooseSlot(candidates, costs);
  const busy = slot({ busy: true });

  it('takes one beside them, so that all are computed together', () => {
    expect(takeBeside([slot(), slot(), slot(), busy])).toBe(2);
    expect(takeBeside([busy, slot({ usedAt: 9, cached: 99 }), slot({ usedAt: 5, cached: 99 })])).toBe(1);
  });

  it('takes the one that joins two rows', () => {
    expect(takeBeside([slot(), busy, slot({ usedAt: 3 }), busy, slot()])).toBe(2);
  });

  it('takes, of those that are as good, the one that was unused for longest', () => {
    const used = slot({ usedAt: 9, cached: 99 });
    expect(takeBeside([used, busy, slot({ usedAt: 5, cached: 99 }), used])).toBe(2);
  });

  it('does not overwrite for it what takes longer to have again', () => {
    const dear = slot({ usedAt: 9, cached: 5000, lossMs: 50_000 });
    const old = slot({ usedAt: 1, cached: 5000, lossMs: 50_000 });
    expect(takeBeside([busy, dear, old, dear])).toBe(2);
    expect(takeBeside([busy, { ...dear, lossMs: 500 }, old, dear])).toBe(1);
  });

  it('goes on in another slot than the one that has the beginning, if copying it costs less', () => {
    const continued = slot({ usedAt: 5, cached: 500, shared: 500 });
    expect(takeBeside([busy, slot(), slot(), continued])).toBe(1);
    expect(chooseSlot([busy, slot(), slot(), continued], { ...costs, moveMs: 3000 })).toBe(3);
    expect(chooseSlot([busy, slot(), slot(), continued], { ...costs, moveMs: Number.POSITIVE_INFINITY })).toBe(3);
  });

  it('goes on where the beginning is while nobody else writes', () => {
    expect(takeBeside([slot(), slot(), slot({ usedAt: 5, cached: 500, shared: 500 })])).toBe(2);
  });
});
