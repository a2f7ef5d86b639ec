import { describe, expect, it } from 'vitest';
import { decideLoad, type ResidencyLimits, type Resident } from '../../../src/pool/residency/residency.ts';

const plenty = { available: 1000, held: 0 };

function limits(more: Partial<ResidencyLimits> = {}): ResidencyLimits {
  return { maxModels: null, memory: plenty, ...more };
}

let used = 0;
function resident(id: string, more: Partial<Resident> = {}): Resident {
  return { id, state: 'ready', memory: 100, users: 0, usedAt: used++, pinned: false, ...more };
}

describe('room for a model', () => {
  it('is never made by a model that is pinned', () => {
    const residents = [resident('pinned', { pinned: true }), resident('idle')];
    expect(decideLoad(1, residents, limits({ maxModels: 2 }))).toEqual({ kind: 'unload', id: 'idle' });
    expect(decideLoad(1, residents.slice(0, 1), limits({ maxModels: 1 }))).toMatchObject({ kind: 'refuse' });
    const busy = [resident('pinned', { pinned: true, users: 1 }), resident('busy', { users: 1 })];
    expect(decideLoad(1, busy, limits({ maxModels: 2 }))).toEqual({ kind: 'wait', closed: 'busy' });
  });

  it('is there as long as neither number nor memory is exhausted', () => {
    expect(decideLoad(100, [], limits())).toEqual({ kind: 'load' });
    expect(decideLoad(100, [resident('a')], limits({ maxModels: 2 }))).toEqual({ kind: 'load' });
    expect(decideLoad(900, [resident('a')], limits())).toEqual({ kind: 'load' });
  });

  it('is made by unloading the least recently used idle model', () => {
    const residents = [resident('a', { usedAt: 3 }), resident('b', { usedAt: 1 }), resident('c', { usedAt: 2 })];
    expect(decideLoad(1, residents, limits({ maxModels: 3 }))).toEqual({ kind: 'unload', id: 'b' });
  });

  it('is made by unloading an idle model, not a busy one that was used earlier', () => {
    const residents = [resident('busy', { users: 1, usedAt: 1 }), resident('idle', { usedAt: 2 })];
    expect(decideLoad(1, residents, limits({ maxModels: 2 }))).toEqual({ kind: 'unload', id: 'idle' });
  });

  it('is waited for while all are busy: the least recently used is closed', () => {
    const residents = [resident('a', { users: 2, usedAt: 5 }), resident('b', { users: 9, usedAt: 4 })];
    expect(decideLoad(1, residents, limits({ maxModels: 2 }))).toEqual({ kind: 'wait', closed: 'b' });
  });

  it('is waited for while a model is unloaded, without unloading another', () => {
    const residents = [resident('leaving', { state: 'unloading' }), resident('idle')];
    expect(decideLoad(1, residents, limits({ maxModels: 2 }))).toEqual({ kind: 'wait', closed: null });
  });

  it('is never made by unloading a model that loads', () => {
    const residents = [resident('a', { state: 'loading' })];
    expect(decideLoad(1, residents, limits({ maxModels: 1 }))).toEqual({ kind: 'wait', closed: null });
  });

  it('is refused to a model that all memory together could not hold, and no model is unloaded for it', () => {
    const memory = { available: 600, held: 300 };
    const residents = [resident('a', { memory: 300 })];
    expect(decideLoad(901, residents, limits({ memory }))).toEqual({ kind: 'refuse', available: 900 });
    expect(decideLoad(900, residents, limits({ memory }))).toEqual({ kind: 'unload', id: 'a' });
  });

  it('is refused if no model is left to unload and it still does not fit', () => {
    const memory = { available: 500, held: 100 };
    expect(decideLoad(550, [], limits({ memory }))).toEqual({ kind: 'refuse', available: 500 });
  });

  it('does not count twice what a model already holds, and counts what it maps or will still take', () => {
    const residents = [resident('a', { memory: 400 })];
    expect(decideLoad(600, residents, limits({ memory: { available: 600, held: 400 } }))).toEqual({ kind: 'load' });
    expect(decideLoad(600, residents, limits({ memory: { available: 1000, held: 0 } }))).toEqual({ kind: 'load' });
    expect(decideLoad(601, residents, limits({ memory: { available: 1000, held: 0 } }))).toEqual({
      kind: 'unload',
      id: 'a',
    });
  });
});
