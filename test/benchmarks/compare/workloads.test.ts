import { describe, expect, it } from 'vitest';
import { PASSAGE, WORKLOADS } from '../../../benchmarks/compare/workloads.ts';

describe.each(Object.entries(WORKLOADS))('the workload %s', (_, workload) => {
  it('asks every endpoint the same in the same round', () => {
    expect(workload.asks(4, 2)).toEqual(workload.asks(4, 2));
  });

  it('asks something else in every round and stream, so that no cache of an earlier one helps', () => {
    const texts = [0, 1, 2].flatMap((round) => workload.asks(4, round).map(({ turns }) => turns.join('\n')));
    expect(new Set(texts).size).toBe(12);
    const beginnings = texts.map((text) => text.slice(0, 40));
    expect(new Set(beginnings).size).toBe(12);
  });
});

describe('some workloads', () => {
  it('arrive one after another', () => {
    const times = WORKLOADS.mixed?.asks(16, 0).map(({ afterMs }) => afterMs) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(16);
  });

  it('share a system prompt within a round, and with no other one', () => {
    const systems = [
      [1, 0],
      [16, 0],
      [16, 1],
    ].map(([streams = 0, round = 0]) => {
      const all = new Set(WORKLOADS.shared?.asks(streams, round).map(({ system }) => system));
      expect(all.size).toBe(1);
      return [...all][0];
    });
    expect(new Set(systems).size).toBe(3);
  });

  it('quote a passage in which no character comes twice', () => {
    expect(new Set(PASSAGE).size).toBe(PASSAGE.length);
    expect(WORKLOADS.quote?.asks(1, 0)[0]?.turns[0]).toContain(PASSAGE);
  });
});
