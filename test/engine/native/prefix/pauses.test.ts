import { describe, expect, it } from 'vitest';
import { createAppointment, createPauses } from '../../../../src/engine/native/prefix/pauses.ts';

const state = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => 'over'), new Promise((resolve) => setTimeout(resolve, 10, 'pauses'))]);

describe('pauses', () => {
  it('tell the next place, for copies and for others', () => {
    const pauses = createPauses();
    expect(pauses.after(0)).toBe(Number.POSITIVE_INFINITY);
    pauses.keepAt(50);
    pauses.shareAt(30, Promise.resolve());
    expect([0, 29, 30, 50].map(pauses.after)).toEqual([30, 30, 50, Number.POSITIVE_INFINITY]);
    expect([30, 50].map(pauses.isKeptAt)).toEqual([false, true]);
    pauses.clear();
    expect(pauses.after(0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('last until all have what they came for, or come no more', async () => {
    const [pauses, other] = [createPauses(), createPauses()];
    const [one, two] = [createAppointment(), createAppointment()];
    one.make(pauses, 30);
    two.make(pauses, 30);
    expect(await state(pauses.shared(30))).toBe('pauses');
    one.end();
    expect(await state(pauses.shared(30))).toBe('pauses');
    two.make(other, 40);
    expect(await state(pauses.shared(30))).toBe('over');
    expect(await state(other.shared(40))).toBe('pauses');
    two.end();
    expect(await state(other.shared(40))).toBe('over');
  });

  it('keep an appointment that is made again', async () => {
    const pauses = createPauses();
    const one = createAppointment();
    one.make(pauses, 30);
    one.make(pauses, 30);
    expect(await state(pauses.shared(30))).toBe('pauses');
    one.end();
    expect(await state(pauses.shared(30))).toBe('over');
  });
});
