import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTunings } from '../../../src/cli/doctor/tunings.ts';
import { tunedLoads } from '../../../src/serve/tune/apply.ts';
import { fingerprintOf, keepTuning, readTunings, type Tuning } from '../../../src/serve/tune/tunings.ts';
import { tinyModelShape } from '../../kit/models/model-shape.ts';

const MACHINE = 'Xeon, 2 cores, 16 GiB, Paddock 1.0.0';

let folder: string;
let model: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-tunings-'));
  model = join(folder, 'model.gguf');
  await writeFile(model, 'weights');
});
afterAll(() => rm(folder, { recursive: true }));

function tuning(more: Partial<Tuning> = {}): Tuning {
  return {
    model: 'half',
    fingerprint: fingerprintOf([model]),
    machine: MACHINE,
    backend: 'cpu',
    date: '2026-11-22',
    settings: { batch: 1024, slots: 8 },
    gain: 1.12,
    ...more,
  };
}

describe('the tunings of a machine', () => {
  it('are kept, one for each model, machine and backend', async () => {
    const file = join(folder, 'home', 'tunings.json');
    expect(await readTunings(file)).toEqual([]);
    await keepTuning(file, tuning());
    await keepTuning(file, tuning({ machine: 'another' }));
    await keepTuning(file, tuning({ gain: 1.3 }));
    expect(await readTunings(file)).toEqual([tuning({ machine: 'another' }), tuning({ gain: 1.3 })]);
  });

  it('that are broken are none', async () => {
    const file = join(folder, 'broken.json');
    await writeFile(file, '{"version":1,"records":[{}]}');
    expect(await readTunings(file)).toEqual([]);
  });

  it('know a model again by its content, not by its name', async () => {
    const [same, other] = [join(folder, 'same.gguf'), join(folder, 'other.gguf')];
    await writeFile(same, 'weights');
    await writeFile(other, 'Weights');
    expect(fingerprintOf([same])).toBe(fingerprintOf([model]));
    expect(fingerprintOf([other])).not.toBe(fingerprintOf([model]));
  });
});

describe('a load takes over', () => {
  const source = () => ({ kind: 'chat' as const, files: [model], shape: tinyModelShape });
  const open = { batch: undefined, slots: undefined, flashAttention: undefined };

  it('what was found for its model, on this machine and backend', () => {
    const tuned = tunedLoads([tuning()], MACHINE, open);
    expect(tuned(source(), 'cpu')).toEqual({ batchSize: 1024, slots: 8 });
    expect(tuned(source(), 'gpu')).toEqual({});
    expect(tunedLoads([tuning({ machine: 'another' })], MACHINE, open)(source(), 'cpu')).toEqual({});
    expect(tunedLoads([tuning({ fingerprint: 'another' })], MACHINE, open)(source(), 'cpu')).toEqual({});
  });

  it('nothing that the configuration names', () => {
    expect(tunedLoads([tuning()], MACHINE, { ...open, batch: 512 })(source(), 'cpu')).toEqual({ slots: 8 });
    expect(tunedLoads([tuning()], MACHINE, { ...open, slots: 16 })(source(), 'cpu')).toEqual({
      batchSize: 1024,
    });
  });

  it('whether it has flash attention', () => {
    const without = [tuning({ settings: { flashAttention: false } })];
    expect(tunedLoads(without, MACHINE, open)(source(), 'cpu')).toEqual({ flashAttention: false });
    expect(tunedLoads(without, MACHINE, { ...open, flashAttention: true })(source(), 'cpu')).toEqual({});
  });

  it('nothing for a model whose files are gone', () => {
    expect(tunedLoads([tuning()], MACHINE, open)({ ...source(), files: [join(folder, 'gone')] }, 'cpu')).toEqual({});
  });
});

describe('the doctor', () => {
  it('tells what was found, and how to find something', () => {
    expect(
      checkTunings([tuning(), tuning({ model: 'pico', settings: {}, gain: 1 }), tuning({ machine: 'other' })], MACHINE)
        .detail,
    ).toBe(
      'half on cpu: batch 1024, 8 slots, 1.12 times as fast as the defaults (2026-11-22); ' +
        'pico on cpu: nothing is better than the defaults (2026-11-22)',
    );
    expect(checkTunings([], MACHINE).detail).toContain('paddock tune');
  });
});
