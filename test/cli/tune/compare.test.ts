import { describe, expect, it } from 'vitest';
import { findBest, gainOf, type Trial } from '../../../src/cli/tune/compare.ts';
import type { TunedSettings } from '../../../src/serve/tune/tunings.ts';

const trial = (togetherPerSecond: number, firstTokenMs = 100): Trial => ({ togetherPerSecond, firstTokenMs });
const pair = (standard: number, tried: number, waits: [number, number] = [100, 100]) => ({
  standard: trial(standard, waits[0]),
  tried: trial(tried, waits[1]),
});

describe('settings are adopted', () => {
  it('that are clearly faster in the median', () => {
    expect(gainOf([pair(100, 120), pair(50, 55), pair(100, 106)])).toBeCloseTo(1.1);
  });

  it.each([
    ['hardly faster', [pair(100, 103), pair(100, 104), pair(100, 102)]],
    ['slower in one pair, whatever the others say', [pair(100, 200), pair(100, 99), pair(100, 200)]],
    ['faster together, while a stream alone waits longer', [pair(100, 150, [100, 120]), pair(100, 150, [100, 110])]],
    ['not measured', []],
  ])('but not if they are %s', (_, pairs) => {
    expect(gainOf(pairs)).toBeNull();
  });
});

describe('the search for the best settings', () => {
  /** A machine that is as fast as `speeds` says, by batch, and that loses a tenth of its speed with each trial. */
  function machine(speeds: Record<string, number>) {
    const trials: TunedSettings[] = [];
    const measure = async (settings: TunedSettings) => {
      trials.push(settings);
      return trial((speeds[String(settings.batch ?? 512)] ?? 1) * 0.999 ** trials.length);
    };
    return { trials, measure };
  }

  it('finds the fastest', async () => {
    const { measure } = machine({ 256: 90, 512: 100, 1024: 115, 2048: 130 });
    const { settings, gain } = await findBest([{ batch: 256 }, { batch: 1024 }, { batch: 2048 }], measure, 3);
    expect(settings).toEqual({ batch: 2048 });
    expect(gain).toBeCloseTo(1.3, 1);
  });

  it('stays with the defaults where nothing is clearly faster', async () => {
    const { measure } = machine({ 256: 90, 512: 100, 1024: 103 });
    expect(await findBest([{ batch: 256 }, { batch: 1024 }], measure, 3)).toEqual({ settings: {}, gain: 1 });
  });

  it('measures by turns, and does not go on with what begins slower', async () => {
    const { measure, trials } = machine({ 256: 90, 512: 100, 1024: 120 });
    await findBest([{ batch: 256 }, { batch: 1024 }], measure, 2);
    expect(trials).toEqual([{}, { batch: 256 }, {}, { batch: 1024 }, { batch: 1024 }, {}]);
  });
});
