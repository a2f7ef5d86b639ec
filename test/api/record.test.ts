import { describe, expect, it, vi } from 'vitest';
import { beginRecord, createEventNotes, endRecord, type RequestRecord } from '../../src/api/record.ts';
import { createFakeRunner, done, finish, ORDINARY, progress, reasoning, text, toolArguments } from './fixtures.ts';

function notesOf() {
  const record = beginRecord({ requestId: 'r', model: 'tiny' }, 'POST');
  const pieces: number[] = [];
  const note = createEventNotes(record, { piece: (_, ms) => pieces.push(ms), ended: () => {} });
  return { record, pieces, note };
}

describe('the notes of a generation', () => {
  it('have the counts of its last event', () => {
    const { record, note } = notesOf();
    for (const event of ORDINARY) note(event);
    expect(record).toMatchObject({ promptTokens: 12, cachedTokens: 4, completionTokens: 3, finish: 'stop' });
    expect(record.firstPiece).toBeGreaterThan(0);
  });

  it('have what was done of one whose client leaves', () => {
    const { record, note } = notesOf();
    for (const event of [progress(6, 12, 4), { ...text('a'), tokens: 2 }, reasoning('b'), toolArguments('c')])
      note(event);
    expect(record).toMatchObject({ promptTokens: 6, cachedTokens: 4, completionTokens: 4, finish: null });
  });

  it('are the sum of several generations of one request', () => {
    const { record } = notesOf();
    for (let prompt = 0; prompt < 2; prompt++) {
      const note = createEventNotes(record, undefined);
      for (const event of [
        progress(12, 12),
        text('a'),
        finish(),
        done({ promptTokens: 12, cachedTokens: 1, completionTokens: 9 }),
      ])
        note(event);
    }
    expect(record).toMatchObject({ promptTokens: 24, cachedTokens: 2, completionTokens: 18 });
  });

  it('have the time between the pieces of each choice', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { pieces, note } = notesOf();
      for (const choice of [0, 1, 0, 1]) {
        vi.advanceTimersByTime(10);
        note(text('a', choice));
      }
      expect(pieces).toEqual([20, 20]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the end of a record', () => {
  it('comes once, gives the tokens to the limits, and tells how long the model stays', () => {
    const told: RequestRecord[] = [];
    const left: number[] = [];
    const kept: unknown[] = [];
    const residency = {
      load: async () => {},
      unload: (id: string) => kept.push(['unload', id]) > 0,
      keep: (id: string, ms: number | null) => void kept.push([id, ms]),
    };
    const context = {
      runner: { ...createFakeRunner(), residency },
      observer: { piece: () => {}, ended: (record: RequestRecord) => told.push(record) },
    };
    const keeps: (number | null)[] = [0, 5000, null];
    for (const keepMs of keeps) {
      const record: RequestRecord = {
        ...beginRecord({ requestId: 'r', model: 'tiny' }, 'POST'),
        pass: { reserve: () => {}, leave: (tokens) => left.push(tokens) },
        promptTokens: 3,
        completionTokens: 4,
        keepMs,
      };
      endRecord(record, context);
      endRecord(record, context);
    }
    expect([told.length, left]).toEqual([3, [7, 7, 7]]);
    expect(kept).toEqual([
      ['tiny', 0],
      ['tiny', 5000],
      ['tiny', null],
    ]);
  });

  it.each([
    [200, 1],
    [499, 1],
    [500, 1],
    [400, 0],
    [404, 0],
    [429, 0],
  ])('of a request with status %i has the model stay as long as it asked %i times', (status, times) => {
    const keep = vi.fn();
    const residency = { load: async () => {}, unload: () => true, keep };
    const record = { ...beginRecord({ requestId: 'r', model: 'tiny' }, 'POST'), keepMs: 0, status };
    endRecord(record, { runner: { ...createFakeRunner(), residency } });
    expect(keep).toHaveBeenCalledTimes(times);
  });
});
