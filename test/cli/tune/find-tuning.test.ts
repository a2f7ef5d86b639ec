import { describe, expect, it } from 'vitest';
import { findTuning, type TrialSettings, type Workbench } from '../../../src/cli/tune/find-tuning.ts';

/** A machine on which the model has this backend and so many slots by default, and is fast with these settings. */
function createBench(backend: string, slots: number, isFast: (settings: TrialSettings) => boolean = () => false) {
  const trials: [batch: number, slots: number, streams: number][] = [];
  const bench: Workbench = {
    warmUp: async () => ({ backend, slots }),
    async measure(settings, streams) {
      trials.push([settings.batch, settings.slots, streams]);
      return { togetherPerSecond: isFast(settings) ? 200 : 100, firstTokenMs: 50 };
    },
  };
  return { bench, trials };
}

describe('the search for a tuning', () => {
  it.each([
    ['gpu', 4, [4]],
    ['cpu', 16, [16, 8, 4]],
  ])('on %s starts from the %i slots that a load has there', async (backend, slots, tried) => {
    const { bench, trials } = createBench(backend, slots);
    expect(await findTuning(bench, 3)).toEqual({ backend, settings: {}, gain: 1 });
    expect(new Set(trials.map(([, , streams]) => streams))).toEqual(new Set([slots]));
    expect([...new Set(trials.map(([, each]) => each))]).toEqual(tried);
    expect(trials[0]).toEqual([512, slots, slots]);
  });

  it('finds a batch that is faster', async () => {
    const { bench } = createBench('gpu', 4, ({ batch }) => batch === 1024);
    expect(await findTuning(bench, 3)).toEqual({ backend: 'gpu', settings: { batch: 1024 }, gain: 2 });
  });

  it('finds that a model is faster without flash attention', async () => {
    const { bench } = createBench('cpu', 4, ({ flashAttention }) => flashAttention === false);
    expect(await findTuning(bench, 3)).toEqual({ backend: 'cpu', settings: { flashAttention: false }, gain: 2 });
  });

  it('ends at once on WebAssembly', async () => {
    const { bench, trials } = createBench('wasm', 2);
    await expect(findTuning(bench, 3)).rejects.toThrow('runs on WebAssembly');
    expect(trials).toEqual([]);
  });
});
