import { describe, expect, it } from 'vitest';
import { diagnose, noteSign } from '../../../src/pool/process/watchdog.ts';

const MINUTE = 60_000;
const healthy = { heardAt: 0, steppedAt: null, longestStepMs: 0 };

describe('the watchdog', () => {
  it('finds nothing wrong with an engine that speaks and has nothing to do', () => {
    expect(diagnose(20_000, healthy)).toBeNull();
    expect(diagnose(60 * MINUTE, { ...healthy, heardAt: 60 * MINUTE - 1000 })).toBeNull();
  });

  it('finds an engine stuck whose process has been silent for half a minute', () => {
    expect(diagnose(31_000, healthy)).toMatch(/said nothing for 31 s/);
  });

  it('finds an engine stuck that has not stepped for a minute, though its process speaks', () => {
    const signs = { heardAt: 61_000, steppedAt: 0, longestStepMs: 100 };
    expect(diagnose(59_000, signs)).toBeNull();
    expect(diagnose(61_000, signs)).toMatch(/not stepped for 61 s; its longest step took 100 ms/);
  });

  it('has more patience with a slow machine: twenty times the longest step', () => {
    const signs = { heardAt: 5 * MINUTE, steppedAt: 0, longestStepMs: 20_000 };
    expect(diagnose(5 * MINUTE, signs)).toBeNull();
    expect(diagnose(7 * MINUTE, { ...signs, heardAt: 7 * MINUTE })).toMatch(/not stepped/);
  });

  it('counts as steps what is said of calls, while there are calls', () => {
    const idle = { ...healthy };
    noteSign(idle, 500, true);
    expect(idle).toEqual({ heardAt: 500, steppedAt: null, longestStepMs: 0 });

    const busy = { heardAt: 0, steppedAt: 1000, longestStepMs: 200 };
    noteSign(busy, 1100, false);
    expect(busy).toEqual({ heardAt: 1100, steppedAt: 1000, longestStepMs: 200 });
    noteSign(busy, 1300, true);
    expect(busy).toEqual({ heardAt: 1300, steppedAt: 1300, longestStepMs: 300 });
    noteSign(busy, 1400, true);
    expect(busy).toEqual({ heardAt: 1400, steppedAt: 1400, longestStepMs: 300 });
  });
});
