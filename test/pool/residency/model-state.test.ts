import { describe, expect, it } from 'vitest';
import {
  admission,
  fateOfIdle,
  type ModelEvent,
  type ModelState,
  newModelState,
  nextState,
  sortClaims,
} from '../../../src/pool/residency/model-state.ts';

const state = (more: Partial<ModelState> = {}): ModelState => ({ ...newModelState('a', false), ...more });
const follow = (from: Partial<ModelState>, ...events: ModelEvent[]) => events.reduce(nextState, state(from));

describe('the state of a model', () => {
  it.each<[event: ModelEvent, from: Partial<ModelState>, to: Partial<ModelState>]>([
    [{ kind: 'claimed', needed: 70 }, {}, { needed: 70 }],
    [
      { kind: 'claimed', needed: 70 },
      { state: 'loading', memory: 90 },
      { state: 'queued', memory: 0, needed: 70 },
    ],
    [{ kind: 'granted' }, { needed: 70 }, { state: 'loading', memory: 70, needed: null }],
    [{ kind: 'refused' }, { needed: 70 }, { needed: null }],
    [{ kind: 'loaded' }, { state: 'loading', memory: 70 }, { state: 'ready', memory: 70 }],
    [
      { kind: 'entered', tick: 5 },
      { users: 1, expiresAt: 9 },
      { users: 2, usedAt: 5, expiresAt: null },
    ],
    [{ kind: 'left' }, { users: 2, usedAt: 5 }, { users: 1, usedAt: 5 }],
    [{ kind: 'idle', tick: 6 }, { usedAt: 5 }, { usedAt: 6 }],
    [{ kind: 'timed', at: 1000 }, {}, { expiresAt: 1000 }],
    [{ kind: 'timed', at: null }, { expiresAt: 1000 }, { expiresAt: null }],
    [{ kind: 'kept', ms: 0 }, { keepMs: null }, { keepMs: 0 }],
    [{ kind: 'unload asked' }, { users: 1 }, { users: 1, unloadAsked: true }],
    [
      { kind: 'unloading' },
      { state: 'ready', unloadAsked: true, expiresAt: 9, memory: 70 },
      { state: 'unloading', memory: 70 },
    ],
    [{ kind: 'wanted again' }, { state: 'unloading', memory: 70 }, { state: 'queued', memory: 70 }],
  ])('after %j from %j is %j', (event, from, to) => {
    expect(follow(from, event)).toEqual(state(to));
  });

  it('keeps what requests have asked for until the model is unloaded', () => {
    const kept = follow({ state: 'ready' }, { kind: 'kept', ms: 5 }, { kind: 'entered', tick: 1 }, { kind: 'left' });
    expect(kept.keepMs).toBe(5);
    expect(nextState(kept, { kind: 'unloading' })).not.toHaveProperty('keepMs');
  });
});

describe('an idle model', () => {
  it.each<[name: string, of: Partial<ModelState>, timeoutMs: number | null, unloadsAfterMs: number | null]>([
    ['stays as long as all models do', {}, 60, 60],
    ['stays for ever where all models do', {}, null, null],
    ['stays as long as a request asked for', { keepMs: 5 }, 60, 5],
    ['stays for ever if a request asked for it', { keepMs: null }, 60, null],
    ['is unloaded at once if a request asked for that', { keepMs: 0 }, 60, 0],
    ['is unloaded at once after a call of unload', { unloadAsked: true, keepMs: null }, null, 0],
    ['stays for ever if it is pinned', { pinned: true }, 60, null],
    ['is unloaded even if it is pinned, after a call of unload', { pinned: true, unloadAsked: true }, null, 0],
  ])('%s', (_, of, timeoutMs, unloadsAfterMs) => {
    const fate = unloadsAfterMs === 0 ? { unload: true } : { unload: false, ms: unloadsAfterMs };
    expect(fateOfIdle(state(of), timeoutMs)).toEqual(fate);
  });
});

describe('the claims for room', () => {
  const model = (id: string, needed: number | null, waiting: number, since = Number.POSITIVE_INFINITY) => ({
    state: state({ id, needed }),
    waitingRoom: { waiting, since },
  });
  const ids = (models: ReturnType<typeof model>[]) => models.map((each) => each.state.id);

  it.each([
    ['there are none', [model('a', null, 3, 1)], undefined, []],
    ['the one whose first request has waited longest is first', [model('a', 1, 9, 4), model('b', 1, 1, 2)], 'b', []],
    [
      'those that nobody waits for are abandoned',
      [model('a', 1, 0), model('b', 1, 1, 2), model('c', 1, 0)],
      'b',
      ['a', 'c'],
    ],
    ['a claim for 0 bytes is a claim', [model('a', 0, 1, 1)], 'a', []],
  ])('%s', (_, models, first, abandoned) => {
    const claims = sortClaims(models);
    expect([claims.first?.state.id, ids(claims.abandoned)]).toEqual([first, abandoned]);
  });
});

describe('a loaded model with waiting requests', () => {
  it.each([
    [0, false, false, 'admit'],
    [2, false, false, 'admit'],
    [0, true, false, 'wait'],
    [2, true, false, 'wait'],
    [0, false, true, 'replace'],
    [2, false, true, 'wait'],
    [0, true, true, 'replace'],
  ])('with %i users, closed %s and outdated %s: %s', (users, closed, outdated, expected) => {
    expect(admission(users, closed, outdated)).toBe(expected);
  });
});
