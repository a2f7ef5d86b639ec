import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKeeper } from '../../../src/pool/residency/keeper.ts';
import type { KeeperOptions, Visit } from '../../../src/pool/residency/lifecycle.ts';
import { silentLog } from '../../kit/log.ts';
import { repeats } from '../../support/repeats.ts';

const never = new AbortController().signal;
const settled = () => new Promise(setImmediate);

/** A model that records when it is loaded and unloaded. */
interface FakeModel extends AsyncDisposable {
  id: string;
}

interface Gate {
  open: () => void;
  fail: (error: Error) => void;
}

/** Makes a keeper of models of 100 bytes each. The test can hold their loads and unloads. */
function createHouse(more: Partial<KeeperOptions<FakeModel>> & { sizes?: Record<string, number> } = {}) {
  const { sizes = {}, ...options } = more;
  const log: string[] = [];
  const gates = new Map<string, Gate>();
  const gated = new Set<string>();
  const pass = (step: string) => {
    log.push(step);
    if (!gated.has(step)) return Promise.resolve();
    return new Promise<void>((open, fail) => gates.set(step, { open, fail }));
  };
  const keeper = createKeeper<FakeModel>({
    load: async (id, claim) => {
      const shortage = await claim(sizes[id] ?? 100);
      if (shortage) throw new Error(`${id} needs ${shortage.needed} of ${shortage.available}`);
      await pass(`load ${id}`);
      return {
        id,
        async [Symbol.asyncDispose]() {
          await pass(`unload ${id}`);
          log.push(`${id} gone`);
        },
      };
    },
    isOutdated: () => false,
    isPinned: () => false,
    onUnload: () => {},
    maxModels: 1,
    idleTimeoutMs: null,
    maxWaiting: 100,
    memory: () => ({ available: 10_000, held: 0 }),
    log: silentLog,
    ...options,
  });
  /** Enters a model and records by name whether the request got in. */
  const enter = async (id: string, name = id, signal: AbortSignal = never) => {
    const visit = await keeper.enter(id, signal);
    log.push(visit ? `${name} in` : `${name} gave up`);
    return visit as Visit<FakeModel>;
  };
  const states = () => Object.fromEntries(keeper.list().map(({ id, state }) => [id, state]));
  const hold = (...steps: string[]) => {
    for (const step of steps) gated.add(step);
  };
  return { keeper, log, enter, states, hold, gates };
}

describe('the keeper of models', () => {
  it('loads a model once for a whole burst', async () => {
    const { enter, log, states } = createHouse();
    const visits = await Promise.all([enter('a'), enter('a'), enter('a')]);
    expect(log).toEqual(['load a', 'a in', 'a in', 'a in']);
    expect(states()).toEqual({ a: 'ready' });
    expect(new Set(visits.map(({ model }) => model)).size).toBe(1);
  });

  it('unloads the least recently used model completely before it loads another', async () => {
    const { enter, log } = createHouse({ maxModels: 2 });
    for (const id of ['a', 'b', 'a', 'c']) (await enter(id)).leave();
    expect(log).toEqual(['load a', 'a in', 'load b', 'b in', 'a in', 'unload b', 'b gone', 'load c', 'c in']);
  });

  it('unloads a model when it is asked to, once nobody uses it, even one that is pinned', async () => {
    const reasons: string[] = [];
    const { keeper, enter, states } = createHouse({
      isPinned: (id) => id === 'a',
      onUnload: (id, reason) => reasons.push(`${id}: ${reason}`),
    });
    expect(keeper.unload('a')).toBe(false);
    const visit = await enter('a');
    expect(keeper.unload('a')).toBe(true);
    expect(states()).toEqual({ a: 'ready' });
    visit.leave();
    await settled();
    expect([states(), reasons]).toEqual([{}, ['a: asked']]);
  });

  it('unloads a model that it was asked to unload, however long the requests that still run want it to stay', async () => {
    const { keeper, enter, states } = createHouse();
    const visit = await enter('a');
    keeper.unload('a');
    keeper.keep('a', 60_000);
    expect(states()).toEqual({ a: 'ready' });
    visit.leave();
    await settled();
    expect(states()).toEqual({});
  });

  it('forgets that a model was to go when its next request wants it to stay', async () => {
    const { keeper, enter, states } = createHouse();
    const visit = await enter('a');
    keeper.keep('a', 0);
    keeper.keep('a', null);
    visit.leave();
    await settled();
    expect(states()).toEqual({ a: 'ready' });
  });

  it('keeps a model as long as the latest request says, and a pinned one for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      const { keeper, enter, states } = createHouse({
        idleTimeoutMs: 1000,
        maxModels: 3,
        isPinned: (id) => id === 'pinned',
      });
      for (const id of ['a', 'b', 'pinned']) (await enter(id)).leave();
      keeper.keep('a', 5000);
      keeper.keep('b', null);
      keeper.keep('pinned', 0);
      expect(keeper.list().map(({ id, expiresAt }) => [id, expiresAt && expiresAt - Date.now()])).toEqual([
        ['a', 5000],
        ['b', null],
        ['pinned', null],
      ]);
      await vi.advanceTimersByTimeAsync(4999);
      expect(Object.keys(states())).toEqual(['a', 'b', 'pinned']);
      await vi.advanceTimersByTimeAsync(1);
      expect(Object.keys(states())).toEqual(['b', 'pinned']);
      keeper.keep('b', 0);
      await vi.advanceTimersByTimeAsync(0);
      expect(Object.keys(states())).toEqual(['pinned']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('lets those in who waited for a model that nobody was to keep', async () => {
    const { keeper, enter, log } = createHouse();
    const waiting = enter('a');
    keeper.keep('a', 0);
    (await waiting).leave();
    expect(log).toEqual(['load a', 'a in']);
  });

  it('unloads nothing that is in use: a request that needs the room waits', async () => {
    const { enter, log, states } = createHouse();
    const a = await enter('a');
    const b = enter('b');
    await settled();
    expect(states()).toEqual({ a: 'ready', b: 'queued' });
    a.leave();
    a.leave();
    await b;
    expect(log).toEqual(['load a', 'a in', 'unload a', 'a gone', 'load b', 'b in']);
  });

  it('waits for all users of a model', async () => {
    const { enter, states } = createHouse();
    const [first, second] = await Promise.all([enter('a'), enter('a')]);
    const b = enter('b');
    first.leave();
    first.leave();
    await settled();
    expect(states()).toEqual({ a: 'ready', b: 'queued' });
    second.leave();
    (await b).leave();
  });

  it('lets no new request into a model whose room another waits for, and serves all in the order of arrival', async () => {
    const { enter, log } = createHouse();
    const a1 = await enter('a', 'a1');
    const waiting = [enter('b', 'b1'), enter('a', 'a2'), enter('c', 'c1'), enter('b', 'b2'), enter('a', 'a3')];
    const leaving = waiting.map(async (visit) => (await visit).leave());
    a1.leave();
    await Promise.all(leaving);
    expect(log.filter((line) => line.endsWith(' in'))).toEqual(
      ['a1', 'b1', 'b2', 'a2', 'a3', 'c1'].map((n) => `${n} in`),
    );
    expect(log.filter((line) => line.startsWith('load'))).toEqual(['load a', 'load b', 'load a', 'load c']);
  });

  it('serves all models even if one of them is requested without end', async () => {
    const { enter } = createHouse();
    let running = true;
    const flood = async () => {
      let served = 0;
      for (; running; served++) {
        const visit = await enter('a');
        await settled();
        visit.leave();
      }
      return served;
    };
    const floods = [flood(), flood(), flood()];
    await settled();
    for (const id of ['b', 'c', 'b']) (await enter(id)).leave();
    running = false;
    for (const served of await Promise.all(floods)) expect(served).toBeGreaterThan(3);
  });

  it('keeps a closed model closed, although some of its requests end', async () => {
    const { enter, log } = createHouse({ maxModels: 2 });
    const a = await Promise.all([enter('a', 'a1'), enter('a', 'a2')]);
    await enter('b', 'b1');
    const waiting = enter('c', 'c1');
    const gone = new AbortController();
    const impatient = enter('c', 'c2', gone.signal);
    const late = enter('a', 'a3');
    a[0].leave();
    gone.abort();
    await impatient;
    await enter('b', 'b2');
    a[1].leave();
    (await waiting).leave();
    await late;
    expect(log.filter((line) => line.endsWith(' in'))).toEqual(
      ['a1', 'a2', 'b1', 'b2', 'c1', 'a3'].map((n) => `${n} in`),
    );
  });

  it('opens a model again when the request that waited for its room gives up', async () => {
    const { enter, log, states } = createHouse();
    const gone = new AbortController();
    const a = await enter('a', 'a1');
    const b = enter('b', 'b1', gone.signal);
    const second = enter('a', 'a2');
    await settled();
    expect(log).toEqual(['load a', 'a1 in']);
    gone.abort();
    expect(await b).toBeNull();
    (await second).leave();
    a.leave();
    await settled();
    expect(log).toEqual(['load a', 'a1 in', 'b1 gave up', 'a2 in']);
    expect(states()).toEqual({ a: 'ready' });
  });

  it('lets requests give up at once, even while their model loads', async () => {
    const { enter, log, hold, gates, states } = createHouse();
    hold('load a');
    const gone = new AbortController();
    const impatient = enter('a', 'a1', gone.signal);
    const patient = enter('a', 'a2');
    gone.abort();
    expect(await impatient).toBeNull();
    expect(states()).toEqual({ a: 'loading' });
    gates.get('load a')?.open();
    await patient;
    expect(log).toEqual(['load a', 'a1 gave up', 'a2 in']);
    expect(await enter('a', 'a3', AbortSignal.abort())).toBeNull();
  });

  it('unloads a model that becomes idle, and opens the one that it had closed', async () => {
    const { enter, log } = createHouse({ maxModels: 2 });
    await enter('a', 'a1');
    const b = await enter('b', 'b1');
    const c = enter('c', 'c1');
    const a2 = enter('a', 'a2');
    b.leave();
    await Promise.all([c, a2]);
    expect(log.slice(4)).toEqual(['unload b', 'b gone', 'a2 in', 'load c', 'c1 in']);
  });

  it('answers 503 when too many requests wait for a model', async () => {
    const { keeper } = createHouse({ maxWaiting: 2 });
    const waiting = [keeper.enter('a', never), keeper.enter('a', never)];
    await expect(keeper.enter('a', never)).rejects.toMatchObject({
      data: { status: 503, code: 'overloaded', headers: { 'retry-after': expect.any(String) } },
    });
    await Promise.all(waiting);
    expect(await keeper.enter('a', never)).not.toBeNull();
  });

  it('fails all waiting requests when a load fails, and tries again for the next', async () => {
    const { enter, hold, gates, states, log } = createHouse();
    hold('load a');
    const both = [enter('a'), enter('a')];
    await settled();
    gates.get('load a')?.fail(new Error('no such file'));
    for (const visit of both) await expect(visit).rejects.toThrow('no such file');
    expect(states()).toEqual({});
    const third = enter('a', 'a3');
    await settled();
    gates.get('load a')?.open();
    await third;
    expect(log).toEqual(['load a', 'load a', 'a3 in']);
  });

  it('loads a model again that is requested during its unload', async () => {
    const { enter, hold, gates, states, log } = createHouse();
    hold('unload a');
    (await enter('a', 'a1')).leave();
    const b = enter('b', 'b1');
    await settled();
    expect(states()).toEqual({ a: 'unloading', b: 'queued' });
    const again = enter('a', 'a2');
    gates.get('unload a')?.open();
    (await b).leave();
    await again;
    expect(log.slice(2)).toEqual(['unload a', 'a gone', 'load b', 'b1 in', 'unload b', 'b gone', 'load a', 'a2 in']);
  });

  it('lists how many requests wait for each model', async () => {
    const { enter, keeper } = createHouse();
    const a = await enter('a');
    const waiting = [enter('b'), enter('b'), enter('a')];
    expect(keeper.list()).toMatchObject([
      { id: 'a', state: 'ready', memory: 100, waiting: 1 },
      { id: 'b', state: 'queued', model: null, waiting: 2 },
    ]);
    a.leave();
    for (const visit of waiting) void visit.then(({ leave }) => leave());
    await Promise.all(waiting);
  });
});

describe('memory', () => {
  const memory = () => ({ available: 250, held: 0 });

  it('makes the keeper unload idle models until there is enough', async () => {
    const { enter, log } = createHouse({ maxModels: null, memory, sizes: { big: 240 } });
    for (const id of ['a', 'b', 'big']) (await enter(id)).leave();
    expect(log.slice(4)).toEqual(['unload a', 'a gone', 'unload b', 'b gone', 'load big', 'big in']);
  });

  it('makes the keeper unload no model for one that can never fit', async () => {
    const { enter, states } = createHouse({ maxModels: null, memory, sizes: { big: 300 } });
    (await enter('a')).leave();
    await expect(enter('big')).rejects.toThrow('big needs 300 of 250');
    expect(states()).toEqual({ a: 'ready' });
  });

  it('is waited for while the models that have it are busy', async () => {
    const { enter, states } = createHouse({ maxModels: null, memory, sizes: { big: 200 } });
    const a = await enter('a');
    const big = enter('big');
    await settled();
    expect(states()).toEqual({ a: 'ready', big: 'queued' });
    a.leave();
    await big;
    expect(states()).toEqual({ big: 'ready' });
  });

  it('goes to several loads at once only if it is enough for all', async () => {
    const { enter, states, hold, gates } = createHouse({ maxModels: null, memory });
    hold('load a', 'load b');
    const visits = [enter('a'), enter('b'), enter('c')];
    await settled();
    expect(states()).toEqual({ a: 'loading', b: 'loading', c: 'queued' });
    gates.get('load b')?.open();
    (await visits[1])?.leave();
    await visits[2];
    expect(states()).toEqual({ a: 'loading', c: 'ready' });
    gates.get('load a')?.open();
    await visits[0];
  });
});

describe('a model that is outdated', () => {
  it('gets no new users; when its last one has left it is loaded anew for those who wait', async () => {
    let outdated: FakeModel | null = null;
    const { enter, log } = createHouse({ isOutdated: (model) => model === outdated });
    const first = await enter('a', 'first');
    outdated = first.model;
    const second = enter('a', 'second');
    const third = enter('a', 'third');
    await settled();
    expect(log).toEqual(['load a', 'first in']);
    first.leave();
    expect((await second).model).toBe((await third).model);
    expect(log.slice(2)).toEqual(['unload a', 'a gone', 'load a', 'second in', 'third in']);
  });

  it('is loaded anew at the next request when nobody uses it', async () => {
    let outdated: FakeModel | null = null;
    const { enter, log } = createHouse({ isOutdated: (model) => model === outdated });
    const first = await enter('a', 'first');
    first.leave();
    outdated = first.model;
    await enter('a', 'second');
    expect(log.slice(2)).toEqual(['unload a', 'a gone', 'load a', 'second in']);
  });
});

describe('a load with several attempts', () => {
  it('gives back the room of an attempt that failed', async () => {
    const attempts: number[] = [];
    const keeper = createKeeper<FakeModel>({
      load: async (id, claim) => {
        for (const needed of [200, 150, 100]) {
          await claim(needed);
          attempts.push(needed);
        }
        return { id, async [Symbol.asyncDispose]() {} };
      },
      isOutdated: () => false,
      isPinned: () => false,
      onUnload: () => {},
      maxModels: 1,
      idleTimeoutMs: null,
      maxWaiting: 1,
      memory: () => ({ available: 200, held: 0 }),
      log: silentLog,
    });
    await keeper.enter('a', never);
    expect(attempts).toEqual([200, 150, 100]);
    expect(keeper.list()).toMatchObject([{ state: 'ready', memory: 100 }]);
  });
});

describe('idle models', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are unloaded after the idle timeout', async () => {
    const { enter, states } = createHouse({ idleTimeoutMs: 1000 });
    const first = await enter('a');
    await vi.advanceTimersByTimeAsync(5000);
    first.leave();
    await vi.advanceTimersByTimeAsync(999);
    const second = await enter('a');
    await vi.advanceTimersByTimeAsync(5000);
    second.leave();
    await vi.advanceTimersByTimeAsync(999);
    expect(states()).toEqual({ a: 'ready' });
    await vi.advanceTimersByTimeAsync(1);
    expect(states()).toEqual({});
  });

  it('do not count as idle while a request uses them', async () => {
    const { enter, states } = createHouse({ idleTimeoutMs: 1000 });
    const [first, second] = await Promise.all([enter('a'), enter('a')]);
    first?.leave();
    await vi.advanceTimersByTimeAsync(5000);
    expect(states()).toEqual({ a: 'ready' });
    second?.leave();
    await vi.advanceTimersByTimeAsync(1000);
    expect(states()).toEqual({});
  });

  it('are unloaded even if all requests for them gave up', async () => {
    const { enter, states, hold, gates } = createHouse({ idleTimeoutMs: 1000 });
    hold('load a');
    const gone = new AbortController();
    const visit = enter('a', 'a', gone.signal);
    gone.abort();
    await visit;
    gates.get('load a')?.open();
    await vi.advanceTimersByTimeAsync(0);
    expect(states()).toEqual({ a: 'ready' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(states()).toEqual({});
  });

  it('stay for ever without an idle timeout', async () => {
    const { enter, states } = createHouse();
    (await enter('a')).leave();
    await vi.advanceTimersByTimeAsync(1e9);
    expect(states()).toEqual({ a: 'ready' });
  });
});

describe('a keeper that is disposed', () => {
  it('unloads all models, and lets no request in any more', async () => {
    const { keeper, enter, log } = createHouse({ maxModels: null });
    await enter('a');
    (await enter('b')).leave();
    await keeper[Symbol.asyncDispose]();
    expect(log.filter((line) => line.endsWith('gone')).sort()).toEqual(['a gone', 'b gone']);
    await expect(enter('a')).rejects.toMatchObject({ data: { status: 500 } });
    expect(keeper.list()).toEqual([]);
  });

  it('turns away waiting requests, and unloads a model that loads too late', async () => {
    const { keeper, enter, hold, gates, log } = createHouse();
    hold('load a');
    const waiting = [enter('a'), enter('b')];
    await settled();
    const disposed = keeper[Symbol.asyncDispose]();
    for (const visit of waiting) await expect(visit).rejects.toMatchObject({ data: { status: 500 } });
    gates.get('load a')?.open();
    await disposed;
    expect(log).toEqual(['load a', 'unload a', 'a gone']);
  });

  it('does not wait for ever for a load that hangs', async () => {
    vi.useFakeTimers();
    const { keeper, enter, hold } = createHouse();
    hold('load a');
    const visit = enter('a');
    await Promise.resolve();
    const disposed = keeper[Symbol.asyncDispose]();
    await expect(visit).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(60_000);
    await disposed;
    vi.useRealTimers();
  });
});

/** Makes requests that come, leave and give up, and checks what must hold at any time. */
function createCrowd(maxModels: number) {
  const available = 300;
  const sizes = { a: 100, b: 50, c: 200, d: 250 };
  const { keeper } = createHouse({ maxModels, sizes, memory: () => ({ available, held: 0 }) });
  const visits: Visit<FakeModel>[] = [];
  const aborts: AbortController[] = [];
  let waiting = 0;
  const check = () => {
    const kept = keeper.list().filter(({ state }) => state !== 'queued');
    expect(kept.length).toBeLessThanOrEqual(maxModels);
    expect(kept.reduce((sum, { memory }) => sum + memory, 0)).toBeLessThanOrEqual(available);
    const ready = kept.map(({ model }) => model);
    for (const { model } of visits) expect(ready).toContain(model);
  };
  return {
    enter(id: string) {
      const abort = new AbortController();
      aborts.push(abort);
      waiting++;
      void keeper.enter(id, abort.signal).then((visit) => {
        waiting--;
        if (visit) visits.push(visit);
      });
    },
    leave: (pick: number) => visits.splice(pick % (visits.length || 1), 1)[0]?.leave(),
    abort: (pick: number) => aborts[pick % (aborts.length || 1)]?.abort(),
    check,
    /** Lets all requests leave, again and again, until none waits. Fails if some wait and none is in. */
    async leaveAll() {
      while (waiting > 0) {
        expect(visits.length).toBeGreaterThan(0);
        for (const visit of visits.splice(0)) visit.leave();
        await settled();
        await settled();
        check();
      }
    },
  };
}

describe('the keeper, whatever happens', () => {
  it('keeps its limits, unloads nothing in use, and serves every request that stays', async () => {
    const step = fc.record({
      action: fc.constantFrom('enter', 'leave', 'abort'),
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      pick: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (steps, maxModels) => {
        const crowd = createCrowd(maxModels);
        for (const { action, id, pick } of steps) {
          if (action === 'enter') crowd.enter(id);
          else crowd[action](pick);
          await settled();
          crowd.check();
        }
        await settled();
        await crowd.leaveAll();
      }),
      { numRuns: repeats(200, 800) },
    );
  });
});
