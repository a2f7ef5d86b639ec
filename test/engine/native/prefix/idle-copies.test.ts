import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIdleCopies } from '../../../../src/engine/native/prefix/idle-copies.ts';
import type { HeldSlot } from '../../../../src/engine/native/prefix/prefix-store.ts';

const slot = (sequence: number, more: Partial<HeldSlot> = {}): HeldSlot => ({
  sequence,
  busy: false,
  usedAt: 1,
  scope: '',
  tokens: [sequence],
  ...more,
});

let slots: HeldSlot[];
/** What the copies are asked to keep, and how long that may take. */
let asked: [sequence: number, mostMs: number][];
let succeeds: boolean;
/** Tells whether the slot that was asked for last is still to be copied. */
let isStill: () => boolean;
const create = () =>
  createIdleCopies(
    {
      find: () => null,
      wants: () => true,
      keep: async () => {},
      async keepIdle(_, sequence, mostMs, still) {
        isStill = still;
        asked.push([sequence, mostMs]);
        return succeeds;
      },
    },
    () => slots,
  );

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  slots = [slot(0)];
  asked = [];
  succeeds = true;
});
afterEach(() => void vi.useRealTimers());

describe('what idle slots hold', () => {
  it('is copied half a second after a turn, once', async () => {
    const idle = create();
    idle.noteEnd();
    await vi.advanceTimersByTimeAsync(400);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(asked).toEqual([[0, Number.POSITIVE_INFINITY]]);
    idle.noteEnd();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(1);
  });

  it('is copied also while turns end all the time', async () => {
    const idle = create();
    for (let turn = 0; turn < 6; turn++) {
      idle.noteEnd();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked).toHaveLength(1);
  });

  it('may hold up replies that are written for a moment only', async () => {
    slots = [slot(0), slot(1, { busy: true })];
    const idle = create();
    idle.noteEnd();
    await vi.advanceTimersByTimeAsync(500);
    expect(asked).toEqual([[0, 50]]);
  });

  it('is tried again after the next turn where that failed', async () => {
    succeeds = false;
    const idle = create();
    idle.noteEnd();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(1);
    idle.noteEnd();
    await vi.advanceTimersByTimeAsync(500);
    expect(asked).toHaveLength(2);
  });

  it('is copied at once when the model leaves', async () => {
    slots = [slot(0), slot(1, { busy: true }), slot(2)];
    const idle = create();
    idle.noteEnd();
    await idle.finish();
    expect(asked).toEqual([
      [0, Number.POSITIVE_INFINITY],
      [2, Number.POSITIVE_INFINITY],
    ]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(2);
  });

  it('is copied a moment after a turn that ended while the model was to leave', async () => {
    const idle = create();
    idle.noteEnd();
    await idle.finish();
    slots = [slot(0, { usedAt: 2 })];
    idle.noteEnd();
    await vi.advanceTimersByTimeAsync(500);
    expect(asked).toHaveLength(2);
  });

  it('is copied from the longest on: what begins it needs no copy of its own then', async () => {
    slots = [slot(0), slot(1, { tokens: [0, 1, 2] }), slot(2, { tokens: [0, 1] })];
    const idle = create();
    await idle.finish();
    expect(asked.map(([sequence]) => sequence)).toEqual([1, 2, 0]);
  });

  it('is not copied once the engine is gone', async () => {
    const idle = create();
    idle.noteEnd();
    idle.stop();
    idle.noteEnd();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toEqual([]);
  });

  it('is not copied either if the engine goes while room is made for it', async () => {
    const idle = create();
    idle.noteEnd();
    await vi.advanceTimersByTimeAsync(500);
    idle.stop();
    expect(isStill()).toBe(false);
  });
});
