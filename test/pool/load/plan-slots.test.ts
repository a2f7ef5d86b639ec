import { describe, expect, it } from 'vitest';
import { planSlots, slotsReason } from '../../../src/pool/load/plan-slots.ts';
import { tinyModelShape } from '../../kit/models/model-shape.ts';

const GB = 1e9;
const asked: { slots: number | null; contextLength: number | null } = { slots: null, contextLength: null };
const plan = { backend: 'cpu', kind: 'chat', threads: 1, batchSize: 512 } as const;

/** A chat model whose cache takes so many bytes for each token of a slot. */
const modelOf = (bytesPerToken: number, trainedContextLength = 131_072) => ({
  kind: 'chat' as const,
  shape: { ...tinyModelShape, trainedContextLength, cachedPerToken: bytesPerToken / 2 },
});
const half = modelOf(12_288);
const seven = modelOf(131_072);

/** The slots that a model gets with so much memory beside its weights. */
const slotsOf = (model: typeof half, available: number, more: Partial<typeof asked> = {}) =>
  planSlots(model, { ...asked, ...more }, plan, available, false).slots;

describe('the slots of a model that nobody configured', () => {
  it.each([
    ['a model of 0.5B on 40 GB', half, 40 * GB, 16],
    ['a model of 0.5B on 22 GB', half, 22 * GB, 16],
    ['a model of 0.5B on 10 GB', half, 10 * GB, 8],
    ['a model of 0.5B on 4 GB', half, 4 * GB, 4],
    ['a model of 7B on 22 GB', seven, 22 * GB, 2],
    ['a model of 7B on 40 GB', seven, 40 * GB, 4],
    ['a model of 7B on 192 GB', seven, 192 * GB, 8],
  ])('are as many as leave room for others with windows that agents need: %s', (_, model, available, slots) => {
    expect(slotsOf(model, available)).toBe(slots);
  });

  it('are more where the model was trained with a short window', () => {
    expect(slotsOf(modelOf(131_072, 2048), 22 * GB)).toBe(16);
  });

  it('are more where a short window is asked for', () => {
    expect(slotsOf(seven, 22 * GB, { contextLength: 2048 })).toBe(16);
  });

  it('are fewer where more windows of the default length would leave no room for others', () => {
    expect(slotsOf(seven, 5 * GB)).toBe(2);
    expect(slotsOf(seven, 3 * GB)).toBe(1);
  });

  it('are four where memory is short, and windows shrink instead', () => {
    expect(slotsOf(seven, GB)).toBe(4);
  });

  it.each([
    ['a model of 0.5B on 16 GB', half, 16 * GB, 16],
    ['a model of 7B on 80 GB', seven, 80 * GB, 8],
    ['a model of 7B on 20 GB', seven, 20 * GB, 2],
    ['a model that does not fit', seven, 0, 4],
  ])('may take half of the memory of a GPU of its own: %s', (_, model, available, slots) => {
    expect(planSlots(model, asked, { ...plan, backend: 'gpu' }, available, true).slots).toBe(slots);
  });

  it('leave room for other programs where the GPU shares their memory', () => {
    expect(planSlots(half, asked, { ...plan, backend: 'gpu' }, 16 * GB, false).slots).toBe(slotsOf(half, 16 * GB));
  });

  it('are four on WebAssembly', () => {
    expect(planSlots(half, asked, { ...plan, backend: 'wasm' }, 100 * GB, false).slots).toBe(4);
  });
});

describe('the slots of a model that somebody configured', () => {
  it('are those', () => {
    expect(planSlots(seven, { ...asked, slots: 32 }, plan, GB, false)).toEqual({ slots: 32, reason: 'as configured' });
  });
});

describe('the slots that share one cache', () => {
  it('may be 16 on a CPU, unless their number is configured', () => {
    expect(planSlots(seven, asked, plan, 22 * GB, false)).toMatchObject({ slots: 2, mostSlots: 16 });
    expect(planSlots(seven, { ...asked, slots: 2 }, plan, 22 * GB, false).mostSlots).toBeUndefined();
    expect(planSlots(seven, asked, { ...plan, backend: 'gpu' }, 22 * GB, true).mostSlots).toBeUndefined();
  });

  it('are told with the room that they share', () => {
    const chosen = { slots: 4, reason: 'why 4' };
    expect(slotsReason(16, chosen)).toBe('they share the room of 4 windows');
    expect(slotsReason(4, chosen)).toBe('why 4');
  });
});
